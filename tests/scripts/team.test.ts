/** Arguments of `npm run team`, without starting a team. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/team/run.ts');

function run(...args: string[]): { readonly code: number | null; readonly out: string } {
  const { status, stdout } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', timeout: 60_000 });
  return { code: status, out: stdout };
}

test('prints help for --help, and exits with 2 after an unknown flag', () => {
  const { code, out } = run('--help');
  expect([code, ['--fresh', '--port', '--data'].filter((flag) => !out.includes(flag))]).toEqual([0, []]);
  expect(run('--unknown')).toEqual({ code: 2, out: '' });
});
