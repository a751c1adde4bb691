/** Options of a replica's audit log: recorded before the answer goes, and pushed to stdout and a collector. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { FileJsonDocument } from '../../../src-main/core/base/json-document.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { AuditPush } from '../../../src-main/team/audit/audit-push.ts';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { TeamAuditWriter } from '../../../src-main/team/audit/audit-writer.ts';
import { connect, Database } from '../../../src-main/team/database/database.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { call, decision } from '../../core/trust/audit/fixture.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, teamToken, type TestReplica } from '../../support/start-replica.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const silent = { warn: () => undefined, info: () => undefined };

async function open(url: string, config: object, env: Record<string, string> = {}): Promise<TestReplica> {
  const servers = { echo: fixture('echo') };
  const replica = await startReplica(url, { servers, mode: 'direct', ...config }, { env });
  onTestFinished(() => replica[Symbol.asyncDispose]());
  return replica;
}

async function clientOf({ url }: TestReplica): Promise<HttpClient> {
  const client = new HttpClient(url, false, bearer(teamToken));
  await client.initialize();
  return client;
}

async function echo(client: HttpClient, message: string): Promise<Record<string, unknown>> {
  const { message: answer } = await client.exchange('tools/call', { name: 'echo', arguments: { message } });
  return answer.result as Record<string, unknown>;
}

async function owned(url: string): Promise<ReturnType<typeof connect>> {
  const sql = connect({ url, most: 2 });
  onTestFinished(() => sql.end());
  return sql;
}

const callRows = `SELECT count(*)::int AS count FROM tooltray.audit WHERE line LIKE '%"kind":"call"%'`;

test('with writeAhead, an answered call is in the audit log at once', async () => {
  const url = await teamDatabase();
  const sql = await owned(url);
  const client = await clientOf(await open(url, { audit: { writeAhead: true } }));
  for (let at = 1; at <= 10; at++) {
    expect(await echo(client, `${at}`)).not.toMatchObject({ isError: true });
    const [row] = await sql.unsafe(callRows);
    expect(row).toEqual({ count: at });
  }
});

test.each([
  { writeAhead: true, waits: true },
  { writeAhead: false, waits: false },
])('writeAhead $writeAhead: a call waits for the audit log: $waits', async ({ writeAhead, waits }) => {
  const url = await teamDatabase();
  const sql = await owned(url);
  const client = await clientOf(await open(url, { audit: { writeAhead } }));
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = sql.begin(async (work) => {
    await work`LOCK TABLE tooltray.audit IN ACCESS EXCLUSIVE MODE`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  let isAnswered = false;
  const answer = echo(client, 'x').finally(() => (isAnswered = true));
  if (!waits) await answer;
  // The record of the call is being written and waits for the table lock.
  await until(async () => {
    const waiting = await sql`SELECT FROM pg_locks WHERE NOT granted AND relation = 'tooltray.audit'::regclass`;
    return waiting.length > 0;
  });
  expect(isAnswered).toBe(!waits);
  release.resolve();
  await holding;
  expect(await answer).not.toMatchObject({ isError: true });
});

test('with writeAhead, withholds the result of a call that cannot be recorded, and runs no further one', async () => {
  const url = await teamDatabase();
  const sql = await owned(url);
  const one = await open(url, { audit: { writeAhead: true } });
  const client = await clientOf(one);
  await sql`REVOKE INSERT ON tooltray.audit FROM tooltray_replica`;
  for (const message of ['first', 'second']) {
    const result = await echo(client, message);
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain(`"${message}"`);
  }
  await sql`GRANT INSERT ON tooltray.audit TO tooltray_replica`;
  await until(async () => (await echo(client, 'third'))['isError'] !== true);
  // The first one ran; the second one was refused before it ran.
  const outcomes = await sql<{ line: string }[]>`
    SELECT line FROM tooltray.audit WHERE line LIKE '%"kind":"call"%' ORDER BY seq`;
  expect(outcomes.map(({ line }) => (JSON.parse(line) as { outcome: string }).outcome).slice(0, 2)).toEqual([
    'ok',
    'failed',
  ]);
}, 60_000);

interface Collector {
  readonly url: string;
  readonly lines: () => readonly string[];
}

/** A real receiver that responds with these statuses in turn, then with the last one. */
async function collector(...statuses: readonly number[]): Promise<Collector> {
  const bodies: string[] = [];
  let answered = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const status = statuses[Math.min(answered++, statuses.length - 1)] ?? 200;
      if (status === 200) bodies.push(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lines: () => bodies.flatMap(linesIn) };
}

interface Logs {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly {
      readonly logRecords: readonly {
        readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
      }[];
    }[];
  }[];
}

function linesIn(body: string): readonly string[] {
  const { resourceLogs } = JSON.parse(body) as Logs;
  const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
  return records.map(
    ({ attributes }) => attributes.find(({ key }) => key === 'log.record.original')?.value.stringValue ?? '',
  );
}

async function linesOf(sql: ReturnType<typeof connect>): Promise<string[]> {
  return (await sql<{ line: string }[]>`SELECT line FROM tooltray.audit ORDER BY seq`).map(({ line }) => line);
}

test('pushes each line once and in order, to stdout and to a collector that fails at first', async () => {
  const url = await teamDatabase();
  const sql = await owned(url);
  const there = await collector(503, 503, 200);
  const stdout = new PassThrough();
  const limits = { firstMs: 1, maxMs: 5 };
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: there.url };
  const sinks = (): readonly ['stdout', 'otlp'] => ['stdout', 'otlp'];
  const push = new AuditPush({ sinks, stdout, env, version: '0.0.0', log: silent, limits });
  const database = new Database({ url, most: 2 });
  const rows = new AuditTable(database.sql);
  const append = rows.append.bind(rows);
  let times = 0;
  rows.append = async (...given) => {
    await append(...given);
    if (times++ === 0) throw new Error('the connection was lost on the way back');
  };
  const audit = new TeamAuditWriter({
    rows,
    keys: TeamKeys.fromEnv({ TOOLTRAY_TEAM_KEYS: Buffer.alloc(32, 1).toString('base64url') }).audit(),
    seen: new FileJsonDocument('/nowhere'),
    masker: new Masker(),
    log: silent,
    now: Date.now,
    push,
  });
  audit.note(decision());
  await expect.poll(() => audit.flush()).toBe(true);
  for (let at = 0; at < 700; at++) audit.note(call({ session: `s${at}` }));
  await audit.close();
  await database.close();
  stdout.end();
  const written = await linesOf(sql);
  expect(written.length).toBeGreaterThan(700);
  expect((await text(stdout)).split('\n').slice(0, -1)).toEqual(written);
  expect(there.lines()).toEqual(written);
});

test('a replica pushes calls to the collector of its environment, as the setting says', async () => {
  const url = await teamDatabase();
  const there = await collector(200);
  const env = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${there.url}/v1/logs` };
  const client = await clientOf(await open(url, { audit: { push: ['otlp'] } }, env));
  await echo(client, 'x');
  await until(() => there.lines().some((line) => line.includes('"kind":"call"')));
  const pushed = there.lines();
  expect((await linesOf(await owned(url))).slice(0, pushed.length)).toEqual(pushed);
});
