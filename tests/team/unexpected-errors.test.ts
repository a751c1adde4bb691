/** A replica in a process of its own ends after an error that nothing catches, and finishes running calls before. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src-main/team/database/database.ts';
import { startReplicaProcess } from '../support/replica-process.ts';
import { letTesterIn } from '../support/start-replica.ts';
import { openSession, post } from '../support/team-caller.ts';
import { teamDatabase } from '../support/team-database.ts';
import { until } from '../support/until.ts';
import { writeAtomically } from '../support/write-atomically.ts';

test.each([
  ['an exception', "throw new Error('planted')"],
  ['a rejected promise', "void Promise.reject(new Error('planted'))"],
])('ends with exit code 1 after %s that nothing handles, once running calls have finished', async (_, fault) => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-unexpected-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [log, file, preload] = [join(folder, 'log'), join(folder, 'result'), join(folder, 'preload.mjs')];
  writeFileSync(preload, `process.on('SIGUSR2', () => { ${fault}; });\n`);
  const slow = join(import.meta.dirname, '../integration/servers/slow.ts');
  // The server and the test share files.
  const servers = { slow: { command: process.execPath, args: [slow, log], isolation: 'none' } };
  const config = join(folder, 'config.json');
  const settings = { mode: 'proxy', slowCallSeconds: 0, reviews: { onChange: 'warn' }, http: { drainSeconds: 60 } };
  writeFileSync(config, JSON.stringify({ ...settings, servers }));
  const database = await teamDatabase();
  const open = new Database({ url: database, most: 1 });
  await letTesterIn(open);
  await open.close();
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
  const replica = await startReplicaProcess({ name: 'a', database, config, home: join(folder, 'home'), env });
  const { session } = await openSession(replica.url);
  const running = post(replica.url, 'tools/call', { name: 'slow_work', arguments: { file } }, session);
  await until(() => existsSync(log));
  process.kill(replica.pid, 'SIGUSR2');
  const ready = (): Promise<number> => fetch(new URL('/readyz', replica.url)).then(({ status }) => status);
  await expect.poll(ready).toBe(503);
  writeAtomically(file, 'done');
  expect(await running).toMatchObject({ status: 200, message: { result: { content: [{ text: 'done' }] } } });
  expect(await replica.exited).toBe(1);
});
