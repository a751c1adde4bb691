/** Runners in processes of their own: one is stopped and goes on, one is killed. Their person's process never runs twice. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../core/servers/servers-harness.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

interface Said {
  readonly text?: string;
  readonly error?: string;
}

interface RunnerProcess {
  readonly pid: number;
  readonly call: (tool: string) => Promise<Said>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Of `leaseMs`. */
function startRunner(url: string, name: string, leaseMs: number): RunnerProcess {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-runner-'));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'runner-process.ts'), url, name, folder, String(leaseMs)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const waiting: ((said: Said) => void)[] = [];
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.(JSON.parse(line) as Said));
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    pid: child.pid as number,
    kill: (signal) => void child.kill(signal),
    call: (tool) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(`${tool}\n`);
      }),
  };
}

/** Asks until it is answered: until the other one's right has ended. */
async function onceAllowed(runner: RunnerProcess, tool: string): Promise<string> {
  for (;;) {
    const { text } = await runner.call(tool);
    if (text !== undefined) return text;
  }
}

/** One that was ended while nobody looks after it is in the list still, and runs nothing. */
function runs(pid: number): boolean {
  if (!isAlive(pid)) return false;
  return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .startsWith('Z');
}

test('a runner that was stopped has no process when another one has, and does not answer when it goes on', async () => {
  const url = await teamDatabase();
  const [one, two] = [startRunner(url, 'one', 1500), startRunner(url, 'two', 1500)];
  const pid = Number((await one.call('pid')).text);
  expect((await two.call('count')).error).toContain('another runner');
  const late = one.call('slow');
  one.kill('SIGSTOP');
  const next = Number(await onceAllowed(two, 'pid'));
  expect([runs(pid), runs(next)]).toEqual([false, true]);
  one.kill('SIGCONT');
  expect((await late).text).toBeUndefined();
  expect((await one.call('count')).text).toBeUndefined();
  expect(await onceAllowed(two, 'count')).toBe('1');
});

test('a runner that is killed leaves nothing, and the next call has a process elsewhere', async () => {
  const url = await teamDatabase();
  const [one, two] = [startRunner(url, 'one', 1500), startRunner(url, 'two', 1500)];
  const pid = Number((await one.call('pid')).text);
  one.kill('SIGKILL');
  await until(() => !isAlive(pid));
  expect(await onceAllowed(two, 'count')).toBe('1');
});
