/** The team's audit over several replicas: one valid chain despite concurrent writes and lost responses. */
import { expect, onTestFinished, test } from 'vitest';
import { FileJsonDocument } from '../../../src-main/core/base/json-document.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { readAll, readPage } from '../../../src-main/core/trust/audit/read-audit-log.ts';
import { type Verification, verifyLog } from '../../../src-main/core/trust/audit/verify-audit-log.ts';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { TeamAuditWriter } from '../../../src-main/team/audit/audit-writer.ts';
import { connect, Database } from '../../../src-main/team/database/database.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { call, decision } from '../../core/trust/audit/fixture.ts';

const keys = new TeamKeys([Buffer.alloc(32, 3)]);
const silent = { warn: () => undefined, info: () => undefined };

interface Writer {
  readonly audit: TeamAuditWriter;
  readonly rows: AuditTable;
  readonly database: Database;
}

function openWriter(url: string, most?: number, signedWith = keys): Writer {
  const database = new Database({ url, most: 2 });
  const rows = new AuditTable(database.sql);
  const parts = {
    rows,
    keys: signedWith.audit(),
    seen: new FileJsonDocument('/nowhere'),
    masker: new Masker(),
    log: silent,
  };
  const audit = new TeamAuditWriter({
    ...parts,
    now: () => 1_767_225_600_000,
    ...(most !== undefined && { maxPendingRecords: most }),
  });
  onTestFinished(async () => {
    await audit.close();
    await database.close();
  });
  return { audit, rows, database };
}

const verify = ({ rows }: Writer): Promise<Verification> => verifyLog({ log: rows, ownKey: keys.audit().publicKey });

async function sessionsIn({ rows }: Writer): Promise<string[]> {
  const sessions: string[] = [];
  for await (const { record } of readAll(rows, { kinds: ['call'] }))
    if (record.kind === 'call') sessions.push(record.session);
  return sessions;
}

test('concurrent replicas write one valid, signed chain with every record once', async () => {
  const url = await teamDatabase();
  const writers = [openWriter(url), openWriter(url), openWriter(url)];
  const noted: string[] = [];
  for (let round = 0; round < 4; round++) {
    for (const [at, { audit }] of writers.entries()) {
      for (let each = 0; each < 100; each++) {
        const session = `${at} ${round} ${each}`;
        noted.push(session);
        audit.note(call({ session }));
      }
    }
    await Promise.all(writers.map(({ audit }) => audit.flush()));
  }
  writers[0]!.audit.note(decision());
  expect(await writers[0]!.audit.flush()).toBe(true);
  const [first] = writers as [Writer];
  expect((await sessionsIn(first)).toSorted()).toEqual(noted.toSorted());
  const verified = await verify(first);
  expect(verified).toMatchObject({ holds: true, unsigned: 0, first: 1, findings: [] });
  // No more than 256 records without a head: decisions and the start add heads, too.
  expect(verified.records - 1201).toBeGreaterThanOrEqual(5);
  const page = await readPage(first.rows, { kinds: ['decision'] }, 10);
  expect(page.entries).toMatchObject([{ kind: 'decision', id: 'd1' }]);
});

test('writes a batch once although its response was lost', async () => {
  const writer = openWriter(await teamDatabase());
  const append = writer.rows.append.bind(writer.rows);
  let times = 0;
  writer.rows.append = async (...given) => {
    await append(...given);
    if (times++ === 0) throw new Error('the connection was lost on the way back');
  };
  writer.audit.note(call({ session: 'once' }));
  await expect.poll(async () => (await writer.audit.flush()) && times).toBe(2);
  expect(await sessionsIn(writer)).toEqual(['once']);
  expect(await verify(writer)).toMatchObject({ holds: true });
});

test('records the number of dropped records, and drops decisions last', async () => {
  const writer = openWriter(await teamDatabase(), 3);
  writer.audit.note(decision());
  for (let at = 0; at < 5; at++) writer.audit.note(call({ session: `s${at}` }));
  await writer.audit.flush();
  const { entries } = await readPage(writer.rows, {}, 10);
  expect(entries.map((entry) => (entry.kind === 'lost' ? entry.records : entry.kind))).toEqual([
    'call',
    'call',
    'decision',
    3,
  ]);
});

test('detects changed and deleted records', async () => {
  const url = await teamDatabase();
  const a = openWriter(url);
  for (let at = 0; at < 5; at++) a.audit.note(call({ session: `s${at}` }));
  a.audit.note(decision());
  await a.audit.flush();
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  await owner`UPDATE tooltray.audit SET line = replace(line, 's2', 's9')`;
  expect((await verify(a)).findings.map(({ what }) => what)).toContain('changed');
  await owner`DELETE FROM tooltray.audit WHERE seq > 4`;
  expect((await verify(a)).findings.map(({ what }) => what)).toContain('cut');
  // The next record reports it.
  a.audit.note(decision());
  await a.audit.flush();
  expect((await readPage(a.rows, { kinds: ['cut'] }, 1)).entries).toHaveLength(1);
});

test('removes the batch rows of writers after 8 days, and keeps their records', async () => {
  const url = await teamDatabase();
  const [one, other] = [openWriter(url), openWriter(url)];
  one.audit.note(call());
  await one.audit.flush();
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  await owner`UPDATE tooltray.audit_batches SET at = now() - interval '8 days'`;
  other.audit.note(call());
  await other.audit.flush();
  expect(await owner`SELECT writer FROM tooltray.audit_batches`).toHaveLength(1);
  expect(await sessionsIn(other)).toHaveLength(2);
});

test('stores rows in monthly partitions, each starting with a signed head', async () => {
  const url = await teamDatabase();
  const writer = openWriter(url);
  writer.audit.note(call());
  await writer.audit.flush();
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  const places = await owner<{ place: string; month: string }[]>`
    SELECT DISTINCT tableoid::regclass::text AS place, to_char(written AT TIME ZONE 'UTC', 'YYYYMM') AS month FROM tooltray.audit`;
  expect(places.length).toBeGreaterThan(0);
  // Each in its own partition: a month may end between two of them.
  expect(places.map(({ place }) => place)).toEqual(places.map(({ month }) => `tooltray_parts.audit_${month}`));
  await owner`UPDATE tooltray.audit SET written = written - interval '1 month'`;
  writer.audit.note(call());
  await writer.audit.flush();
  const lines: string[] = [];
  for await (const { record } of readAll(writer.rows, { kinds: ['head', 'call'] })) lines.push(record.kind);
  expect(lines).toEqual(['head', 'call', 'head', 'call']);
  expect(await verify(writer)).toMatchObject({ holds: true });
});

test('verifies after the team key was replaced while replicas were restarted, and the old one removed', async () => {
  const url = await teamDatabase();
  const newKey = Buffer.alloc(32, 4);
  const both = new TeamKeys([newKey, Buffer.alloc(32, 3)]);
  const note = async ({ audit }: Writer): Promise<void> => {
    audit.note({ kind: 'access', change: 'given', by: 'ana', sentence: 'ana did something.' });
    expect(await audit.flush()).toBe(true);
  };
  const [before, after] = [openWriter(url), openWriter(url, undefined, both)];
  // A replica with the new key first and one with the old key alone run at the same time.
  for (const writer of [before, after, before, after]) await note(writer);
  const ownKey = both.audit().publicKey;
  const check = (otherKeys: readonly string[]): Promise<Verification> =>
    verifyLog({ log: after.rows, ownKey, otherKeys });
  expect(await check([])).toMatchObject({ holds: true, findings: [], keys: [keys.audit().publicKey, ownKey] });
  await note(before);
  expect(both.otherAuditKeys()).toEqual([keys.audit().publicKey]);
  expect(await check(both.otherAuditKeys())).toMatchObject({ holds: true, findings: [] });
  // The old key alone no longer vouches for the end of the log.
  expect((await check([])).findings).toMatchObject([{ what: 'badly signed' }]);
  await note(openWriter(url, undefined, new TeamKeys([newKey])));
  expect(await check([])).toMatchObject({ holds: true, findings: [] });
  await note(openWriter(url, undefined, new TeamKeys([Buffer.alloc(32, 9)])));
  await note(after);
  expect((await check([])).findings).toMatchObject([{ what: 'badly signed' }]);
});
