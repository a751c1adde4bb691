/** A client app that does not read its results and disconnects: its backlog is freed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSocket } from '../support/socket-client.ts';
import { fixture } from '../support/start-core.ts';

const megabyte = 1_000_000;
const results = 40;
const resultBytes = 8 * megabyte;

test('frees the backlog of a client app that reads nothing, once it disconnects', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-deaf-'));
  const config = { servers: { sized: fixture('sized') }, mode: 'proxy', results: { threshold: 1_000 * megabyte } };
  const script = join(import.meta.dirname, '../support/measured-core.ts');
  const child = fork(script, [home, JSON.stringify(config)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(home, { recursive: true, force: true });
  });
  const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
  const { socketPath, token } = JSON.parse(line.toString()) as Record<'socketPath' | 'token', string>;
  const memory = async (): Promise<number> => {
    child.send('memory');
    const [bytes] = (await once(child, 'message')) as [number];
    return bytes;
  };
  const client = await openSocket(socketPath, token, { mode: 'proxy' });
  await client.initialize();
  await client.callTool('give', { kind: 'letters', bytes: resultBytes });
  const before = await memory();
  client.socket.pause();
  for (let at = 0; at < results; at++)
    void client.exchange('tools/call', { name: 'give', arguments: { kind: 'letters', bytes: resultBytes } });
  await expect.poll(memory).toBeGreaterThan(before + (results / 2) * resultBytes);
  client.socket.destroy();
  await expect.poll(memory).toBeLessThan(before - resultBytes);
});
