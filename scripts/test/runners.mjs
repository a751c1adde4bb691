/** Which runner a test file belongs to, told by where it lies. */
import { isAbsolute, relative } from 'node:path';
import process from 'node:process';

const vitest = ['vitest', 'run'];
/** All but the long proofs, which are run where they are named, and by `npm run test:long`. */
const quick = [...vitest, '--project', 'shared', '--project', 'alone'];
const e2e = ['playwright', 'test'];
const quickE2e = [...e2e, '--project', 'usual'];
const desktop = ['playwright', 'test', '--config', 'tests/desktop'];

/** The first that fits. */
const places = [
  [/^tests\/desktop\/.*\.spec\.ts$/, desktop],
  [/^tests\/e2e\//, e2e],
  [/^tests\/package\//, ['vitest', 'run', '--config', 'tests/package/vitest.config.ts']],
  [/^tests\//, vitest],
];

/**
 * The commands to run, one after the other, for the words behind `npm test --`. Words that name no place under tests/
 * (flags, and parts of names) go to each runner, and alone to vitest; without any word everything is run but the long
 * proofs.
 */
export function runnersOf(given, cwd = process.cwd()) {
  if (given.length === 0) return [quick, quickE2e, desktop];
  const byRunner = new Map();
  const others = [];
  for (const word of given) {
    const path = fromRoot(word, cwd);
    const runner = places.find(([place]) => place.test(path))?.[1];
    if (runner === undefined) others.push(word);
    else byRunner.set(runner, [...(byRunner.get(runner) ?? []), path]);
  }
  if (byRunner.size === 0) return [[...vitest, ...others]];
  return [...byRunner].map(([runner, files]) => [...runner, ...files, ...others]);
}

function fromRoot(word, cwd) {
  return (isAbsolute(word) ? relative(cwd, word) : word).replaceAll('\\', '/').replace(/^\.\//, '');
}
