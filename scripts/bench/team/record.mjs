/**
 * What a team's record costs: rows of calls a second that replicas bring into PostgreSQL, and records of the audit,
 * with the processor time that PostgreSQL and the replicas take for each. The database is npm's, on this machine, and
 * writes everything down (fsync).
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJsonDocument } from '../../../src-main/core/base/json-document.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { ActivityRows } from '../../../src-main/team/activity/activity-rows.ts';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { TeamAuditWriter } from '../../../src-main/team/audit/audit-writer.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { migrate } from '../../../src-main/team/database/migrate.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { startPostgres } from '../../team/engines/postgres.ts';
import { processCpu } from '../process-cpu.mjs';
import { formatTable } from '../table.mjs';

const lotRows = 1000;
const lots = 60;
const notes = 9000;
/** Rows a second that are wanted of the record, with what there is of replicas. */
const goal = 10_000;

export async function measureRecord(print) {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-team-'));
  // PostgreSQL runs as somebody else where we are root.
  chmodSync(folder, 0o711);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await startPostgres({ folder: join(folder, 'postgres') });
  stack.defer(() => cluster.stop());
  await migrate(cluster.url);
  const database = new Database({ url: cluster.url, most: 4 });
  stack.defer(() => database.close());
  const rows = [];
  for (const replicas of [1, 2, 4]) rows.push(await ofRecord(database, replicas));
  rows.push(await ofAudit(database, 3));
  const most = Math.max(...rows.slice(0, -1).map((row) => row['a second']));
  print(
    `${formatTable(rows)}\n\n${most} rows a second at the most (at least ${goal}: ${most >= goal ? 'met' : 'MISSED'}).`,
  );
  return rows;
}

async function ofRecord(database, replicas) {
  const made = new Lots();
  const writers = Array.from({ length: replicas }, (_, at) => new ActivityRows(database.of('a'), 'a', `r${at}`));
  // Every connection is there, and has its statement prepared.
  await Promise.all(writers.map((rows) => rows.put(made.next())));
  return timed(`calls, ${replicas} at once`, database, lots * lotRows, () =>
    Promise.all(
      writers.map(async (rows) => {
        for (let at = 0; at < lots / replicas; at++) await rows.put(made.next());
      }),
    ),
  );
}

async function ofAudit(database, replicas) {
  const keys = new TeamKeys([Buffer.alloc(32, 1)]).audit('a');
  const seen = new FileJsonDocument(join(tmpdir(), 'nothing.json'));
  const log = { warn: () => undefined, info: () => undefined };
  const books = Array.from({ length: replicas }, () => {
    const rows = new AuditTable(database.of('a'), 'a');
    return new TeamAuditWriter({ rows, keys, seen, masker: new Masker(), log, now: Date.now });
  });
  const round = 300;
  const row = await timed(`audit, ${replicas} at once`, database, notes, async () => {
    for (let done = 0; done < notes; done += round * replicas) {
      for (const book of books) for (let at = 0; at < round; at++) book.note(someNote);
      await Promise.all(books.map((book) => book.flush()));
    }
  });
  await Promise.all(books.map((book) => book.close()));
  return row;
}

async function timed(what, database, count, work) {
  const [servers, own, start] = [await serverCpu(database), process.cpuUsage(), performance.now()];
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(own);
  const cpu = (await serverCpu(database)) - servers;
  return {
    what,
    'a second': Math.round((count / ms) * 1000),
    'PostgreSQL, ms of processor each': (cpu / count).toFixed(4),
    'replica, ms of processor each': ((user + system) / 1000 / count).toFixed(4),
  };
}

/** Of all that runs in it, its own helpers included. */
async function serverCpu(database) {
  const pids = await database.sql`SELECT pid FROM pg_stat_activity`;
  return pids.reduce((sum, { pid }) => sum + (processCpu(pid) ?? 0), 0);
}

class Lots {
  #id = Math.floor(Math.random() * 1e9);

  next() {
    return { kind: 'calls', book: 'abcdefghijkl', rows: Array.from({ length: lotRows }, () => this.#row()) };
  }

  #row() {
    const id = ++this.#id;
    const sessionId = `0f0e0d0c-0b0a-4908-8706-${String(id % 1000).padStart(12, '0')}`;
    const who = { user: `user${id % 97}`, sessionId, app: 'claude-code', mode: 'search', via: 'call_tool' };
    const what = { server: `server-${id % 13}`, tool: `tool_number_${id % 41}`, outcome: 'ok', step: id * 10 };
    const sizes = { requestBytes: 120, serverResultBytes: 3400, modelResultBytes: 1200, durationMs: 12.5, callMs: 11 };
    const tokens = { requestTokens: 30, serverResultTokens: 850, modelResultTokens: 300, tokensEstimated: 0 };
    return { id, startedAt: Date.now(), ...who, ...what, ...sizes, ...tokens };
  }
}

const someNote = {
  ...{ kind: 'call', app: 'cursor', session: 's1', mode: 'proxy', server: 'github', tool: 'create_issue' },
  ...{ arguments: { bytes: 12, hmac: 'a'.repeat(43) }, result: { bytes: 340, hmac: 'b'.repeat(43) } },
  ...{ outcome: 'ok', ms: 12.5 },
};
