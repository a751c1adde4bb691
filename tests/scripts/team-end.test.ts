/** Ctrl+C ends a whole team of `npm run team`. Runs the build. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../scripts/team/engines/free-port.ts';

const script = join(import.meta.dirname, '../../scripts/team/run.ts');

test('ends all of it after Ctrl+C', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-run-'));
  // PostgreSQL does not run as root.
  await chmod(folder, 0o711);
  await using ends = new AsyncDisposableStack();
  ends.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const port = await freePort();
  const team = spawn(process.execPath, [script, '--port', String(port), '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(team, 'exit');
  onTestFinished(() => void team.kill('SIGKILL'));
  let database = '';
  const started = Promise.withResolvers<void>();
  createInterface(team.stdout).on('line', (line) => {
    database ||= /^Database\s+(\S+)/.exec(line)?.[1] ?? '';
    if (line.startsWith('Ctrl+C')) started.resolve();
  });
  await Promise.race([started.promise, exited]);
  const statusOf = (at: number): Promise<number> =>
    fetch(`http://127.0.0.1:${at}/healthz`).then(
      ({ status }) => status,
      () => 0,
    );
  const replicas = [port + 1, port + 2, port + 3];
  expect(await Promise.all(replicas.map(statusOf))).toEqual([200, 200, 200]);
  team.kill('SIGINT');
  const [code] = (await exited) as [number];
  expect(code).toBe(0);
  expect(await Promise.all(replicas.map(statusOf))).toEqual([0, 0, 0]);
  expect(database).toContain('postgres://');
});
