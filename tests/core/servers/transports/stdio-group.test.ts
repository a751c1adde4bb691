/** No process started by a server outlives it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { oddServer, stdioHarness } from './stdio-harness.ts';

/** Also false for a zombie process. */
async function runs(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

async function withGrandchild(deaf = false) {
  const server = stdioHarness({ graceMs: 100 });
  await server.start();
  const answer = await server.ask('grandchild', { deaf });
  const pid = 'result' in answer ? (answer.result as { pid: number }).pid : 0;
  expect(await runs(pid)).toBe(true);
  return { server, pid };
}

test('ends grandchildren when it is closed', async () => {
  const { server, pid } = await withGrandchild();
  await server.transport.close();
  expect(await runs(pid)).toBe(false);
});

test('kills grandchildren that ignore SIGTERM', async () => {
  const { server, pid } = await withGrandchild(true);
  await server.transport.close();
  expect(await runs(pid)).toBe(false);
});

test('ends grandchildren before it reports the end of a killed child', async () => {
  const { server, pid } = await withGrandchild();
  process.kill(server.transport.pid as number, 'SIGKILL');
  await server.closed;
  expect(await runs(pid)).toBe(false);
  expect(server.registry.size).toBe(0);
});

test('ends a shell together with its server in the background', async () => {
  // A shell gives background jobs /dev/null as stdin, so the pipe is kept as another descriptor.
  const script = `exec 3<&0; "${process.execPath}" "${oddServer}" <&3 & wait`;
  const server = stdioHarness({ command: 'sh', args: ['-c', script], graceMs: 100 });
  await server.start();
  const answer = await server.ask('grandchild');
  const pid = 'result' in answer ? (answer.result as { pid: number }).pid : 0;
  await server.transport.close();
  expect(await runs(pid)).toBe(false);
});

describe.skipIf(process.platform === 'win32').each([
  ['in a session of its own', { deaf: false, orphan: false }],
  ['in a session of its own that ignores SIGTERM', { deaf: true, orphan: false }],
  ['whose parent has ended', { deaf: false, orphan: true }],
  ['whose parent has ended, that ignores SIGTERM', { deaf: true, orphan: true }],
])('a process %s', (_what, how) => {
  const started = async () => {
    const server = stdioHarness({ graceMs: 100 });
    await server.start();
    const answer = await server.ask('daemon', how);
    const pid = 'result' in answer ? (answer.result as { pid: number }).pid : 0;
    expect(await runs(pid)).toBe(true);
    return { server, pid };
  };

  test('ends when the server is closed', async () => {
    const { server, pid } = await started();
    await server.transport.close();
    expect(await runs(pid)).toBe(false);
  });

  test('ends after the server was killed', async () => {
    const { server, pid } = await started();
    process.kill(server.transport.pid as number, 'SIGKILL');
    await server.closed;
    expect(await runs(pid)).toBe(false);
    expect(server.registry.size).toBe(0);
  });
});

test.each(['grandchild', 'daemon'])(
  'leaves no %s behind when the core exits without closing anything',
  async (kind) => {
    const script = fileURLToPath(new URL('../../../fixtures/stdio/exit-with-servers.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, kind]);
    const pids = stdout.trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => Promise.all(pids.map(runs))).toEqual([false, false]);
  },
);
