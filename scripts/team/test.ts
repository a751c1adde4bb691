/**
 * `npm run test:team`: runs the team's tests, including slow ones, with the system's engines, which it starts:
 * PostgreSQL, an
 * S3 store, a load balancer, and containers for the image. A missing one ends the run and prints the packages to
 * install;
 * `--without NAME` uses npm's instead (for podman: skips the image). Further arguments are passed to vitest:
 * `npm run test:team -- --without swift tests/team/chaos`.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { enginesVariable, systemEngines, type SystemEngineName } from './engines/system.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = Object.keys(systemEngines) as SystemEngineName[];
const usual = ['tests/team/', 'tests/real/team-clients.test.ts'];

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  console.error(`test:team: ${(error as Error).message}`);
  process.exitCode = 1;
}

function run(words: readonly string[]): number {
  const { without, more } = read(words);
  const wanted = names.filter((name) => !without.includes(name));
  const missing = wanted.filter((name) => !systemEngines[name].isHere());
  if (missing.length > 0) throw new Error(missing.map(toInstall).join('\n'));
  console.log(
    [
      `Engines of the system: ${wanted.join(', ') || 'none'}${without.length > 0 ? `; left out: ${without.join(', ')}` : ''}.`,
      'No Valkey: the product has no use for one.',
    ].join('\n'),
  );
  const files = more.some((word) => word.startsWith('tests/')) ? [] : usual;
  const { status, error } = spawnSync('vitest', ['run', ...files, ...more], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, [enginesVariable]: wanted.join(',') },
  });
  if (error) throw error;
  return status ?? 1;
}

function read(words: readonly string[]): { readonly without: readonly SystemEngineName[]; readonly more: string[] } {
  const without: SystemEngineName[] = [];
  const more: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word === '--without') continue;
    if (words[at - 1] !== '--without') more.push(word);
    else if (isName(word)) without.push(word);
    else throw new Error(`--without ${word}: the engines are ${names.join(', ')}.`);
  }
  if (words.at(-1) === '--without') throw new Error(`--without what? The engines are ${names.join(', ')}.`);
  return { without, more };
}

function isName(word: string): word is SystemEngineName {
  return (names as readonly string[]).includes(word);
}

function toInstall(name: SystemEngineName): string {
  const { what, packages } = systemEngines[name];
  return `${name} (${what}) is not here. On Debian: apt install ${packages.join(' ')}. Or go without it: --without ${name}.`;
}
