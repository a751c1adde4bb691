/** `npm test -- FILE` starts the runner that the file belongs to. */
import { expect, test } from 'vitest';
import { runnersOf } from '../../scripts/test/runners.mjs';

test('without a word everything is run but the long proofs', () => {
  expect(runnersOf([])).toEqual([
    ['vitest', 'run', '--project', 'shared', '--project', 'alone'],
    ['playwright', 'test', '--project', 'usual'],
    ['playwright', 'test', '--config', 'tests/desktop'],
  ]);
});

test.each([
  ['tests/core/base/json.test.ts', ['vitest', 'run']],
  ['./tests/desktop/tray-menu.test.ts', ['vitest', 'run']],
  ['tests\\e2e\\setup.spec.ts', ['playwright', 'test']],
  ['/root/tests/desktop/tray.spec.ts', ['playwright', 'test', '--config', 'tests/desktop']],
  ['tests/package/linux.test.ts', ['vitest', 'run', '--config', 'tests/package/vitest.config.ts']],
])('%s has its runner', (file, runner) => {
  const path = file.replace('/root/', '').replace('./', '').replaceAll('\\', '/');
  expect(runnersOf([file], '/root')).toEqual([[...runner, path]]);
});

test('files of several runners are run one after the other, with the flags', () => {
  expect(runnersOf(['tests/e2e/setup.spec.ts', 'tests/cli/help.test.ts', 'tests/core/', '-t', 'a word'])).toEqual([
    ['playwright', 'test', 'tests/e2e/setup.spec.ts', '-t', 'a word'],
    ['vitest', 'run', 'tests/cli/help.test.ts', 'tests/core/', '-t', 'a word'],
  ]);
});

test('a word that is no file is for vitest, which looks for it in names', () => {
  expect(runnersOf(['architecture'])).toEqual([['vitest', 'run', 'architecture']]);
});
