/** A replica that is told to end loses nothing: what runs is answered, its sessions go on elsewhere, new ones are opened there. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { place, startReplicas } from '../../support/start-replicas.ts';
import { startReplica } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-drained-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a replica that ends answers what runs, lets its sessions go on at once, and opens new ones elsewhere', async () => {
  const database = await teamDatabase();
  const log = join(folder, 'log');
  const file = join(folder, 'answer');
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const servers = { slow: { command: process.execPath, args: [slow, log] } };
  const config = { servers, slowCallSeconds: 0, http: { drainSeconds: 30 } };
  const { b } = await startReplicas(database, ['b'], config);
  onTestFinished(() => b[Symbol.asyncDispose]());
  const a = await startReplica(database, config, { among: place('a', { noticeMs: 1_000, leaseMs: 3_600_000 }) });
  onTestFinished(() => a[Symbol.asyncDispose]());

  const [busy, idle] = [(await openSession(a.url)).session, (await openSession(a.url)).session];
  const work = { name: 'slow_work', arguments: { file } };
  const noted = (): number => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);
  const direct = post(a.url, 'tools/call', work, busy);
  const passed = post(b.url, 'tools/call', work, busy);
  await until(() => noted() === 2);

  const draining = a.replica.drain();
  await until(() => a.replica.replicas?.isDraining === true);
  expect((await openSession(a.url)).session).toMatch(/^b_/);
  // Its lease would hold for an hour: it has let go of what it does not need.
  await until(() => a.replica.host.httpDoor?.listener.hasSession(idle) === false);
  expect((await post(b.url, 'tools/list', {}, idle)).status).toBe(200);
  // What is still busy there is answered there.
  expect((await post(b.url, 'tools/list', {}, busy)).status).toBe(200);
  expect(a.replica.host.httpDoor?.listener.hasSession(busy)).toBe(true);

  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
  expect((await Promise.all([direct, passed])).map(({ message }) => JSON.stringify(message.result))).toEqual([
    expect.stringContaining('done'),
    expect.stringContaining('done'),
  ]);
  await draining;
  await a.replica.stop();
  expect((await post(b.url, 'tools/list', {}, busy)).status).toBe(200);
  expect(noted()).toBe(2);
});
