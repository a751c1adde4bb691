/** The operations endpoints of a replica: liveness, readiness, metrics. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual as isMatch } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { readExposition } from '../../support/exposition.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { tcpDoor } from '../../support/tcp-door.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';
import { writeAtomically } from '../../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-operations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('is ready while its schema is current and it is not stopping; counts calls without names', async () => {
  const database = await teamDatabase();
  const [log, file] = [join(folder, 'log'), join(folder, 'answer')];
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const servers = { echo: fixture('echo'), slow: { command: process.execPath, args: [slow, log], isolation: 'none' } };
  const own = await startReplica(
    database,
    { servers, slowCallSeconds: 0, http: { drainSeconds: 60 } },
    { operations: { address: '127.0.0.1', port: 0 }, name: 'a' },
  );
  onTestFinished(() => own[Symbol.asyncDispose]());
  const ask = async (path: string): Promise<readonly [number, string]> => {
    const response = await fetch(`http://127.0.0.1:${own.replica.operationsPort}${path}`);
    return [response.status, await response.text()];
  };
  const value = async (name: string): Promise<number> =>
    Number(
      (await ask('/metrics'))[1]
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    );

  expect([await ask('/healthz'), await ask('/readyz'), (await ask('/other'))[0]]).toEqual([
    [200, 'ok\n'],
    [200, 'ok\n'],
    404,
  ]);
  // Load balancers probe the address they send to, without a host name.
  const probe = await fetch(new URL('/readyz', own.url));
  expect([probe.status, await probe.text()]).toEqual([200, 'ok\n']);
  const { session } = await openSession(own.url);
  await post(own.url, 'tools/call', { name: 'echo_echo', arguments: { text: 'a word of mine' } }, session);
  await expect.poll(() => value('tooltray_calls_total{outcome="ok"}')).toBe(1);
  const [, text] = await ask('/metrics');
  const families = readExposition(text);
  expect(families.get('tooltray_sessions')?.samples).toMatchObject([{ labels: {}, value: 1 }]);
  expect(text).not.toMatch(/a word of mine|team-app|echo/);
  const sumOf = (name: string, labels: object): number | undefined =>
    families.get(name)?.samples.find((one) => one.name === `${name}_count` && isMatch(one.labels, labels))?.value;
  expect(sumOf('tooltray_call_duration_seconds', {})).toBe(1);
  // initialize and the call; the session's stream, if any, is still open.
  const posts = { http_request_method: 'POST', http_route: '/mcp', http_response_status_code: '200' };
  expect(sumOf('http_server_request_duration_seconds', posts)).toBe(2);
  expect(families.get('process_cpu_seconds_total')?.type).toBe('counter');
  expect(await value('tooltray_database_up')).toBe(1);
  expect(await value('tooltray_database_connections')).toBeGreaterThan(0);

  const sql = connect({ url: database, most: 1 });
  onTestFinished(() => sql.end());
  await sql`INSERT INTO tooltray.migrations (version, name, is_additive) VALUES (9999, 'of a later version', false)`;
  await expect.poll(() => ask('/readyz')).toEqual([503, expect.stringContaining('newer Tooltray')]);
  await sql`DELETE FROM tooltray.migrations WHERE version = 9999`;
  await expect.poll(() => ask('/readyz')).toEqual([200, 'ok\n']);

  const running = post(own.url, 'tools/call', { name: 'slow_work', arguments: { file } }, session);
  await until(() => existsSync(log));
  const draining = own.replica.drain();
  expect([await ask('/readyz'), await ask('/healthz')]).toEqual([
    [503, 'ending\n'],
    [200, 'ok\n'],
  ]);
  writeAtomically(file, 'done');
  expect((await running).status).toBe(200);
  await draining;
});

test('stays ready without its database, and serves its page and probes', async () => {
  const url = new URL(await teamDatabase());
  const door = await tcpDoor(url.hostname, Number(url.port));
  url.port = String(door.port);
  await using own = await startReplica(url.href, { servers: { echo: fixture('echo') } });
  const { session } = await openSession(own.url);
  const call = (): Promise<number> =>
    post(own.url, 'tools/call', { name: 'echo_echo', arguments: { message: 'x' } }, session).then(
      ({ status }) => status,
    );
  const ready = (): Promise<number> => fetch(new URL('/readyz', own.url)).then(({ status }) => status);
  expect([await ready(), await call()]).toEqual([200, 200]);
  await door.shut();
  for (let look = 0; look < 3; look++) expect([await ready(), await call()]).toEqual([200, 200]);
  await door.reopen();
  expect([await ready(), await call()]).toEqual([200, 200]);
}, 60_000);
