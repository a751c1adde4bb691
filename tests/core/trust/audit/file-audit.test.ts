/** Records are written in order and signed, whatever else happens to the file. */
import { createHmac, hkdfSync } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Masker } from '../../../../src-main/core/base/mask.ts';
import type { AuditRecord } from '../../../../src-main/core/trust/audit/audit-entries.ts';
import { readAll, readPage } from '../../../../src-main/core/trust/audit/read-audit-log.ts';
import { FileAuditLog } from '../../../../src-main/core/trust/audit/audit-segments.ts';
import { call, decision, filesOf, linesOf, openAudit, openFolder, verify, writtenLog } from './fixture.ts';

async function records(folder: string): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for await (const { record } of readAll(new FileAuditLog(folder), {
    kinds: ['decision', 'call', 'mended', 'cut', 'lost', 'trimmed'],
  }))
    found.push(record);
  return found;
}

test('returns noted records unchanged with sequence numbers, and verifies the log', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder);
  audit.note(call());
  audit.note(decision());
  await audit.close();
  const at = 1_767_225_600_000;
  expect(await records(open.folder)).toEqual([
    { seq: 2, at, ...call() },
    { seq: 3, at, ...decision() },
  ]);
  expect(await verify(open.folder)).toMatchObject({ holds: true, records: 4, first: 1, last: 4, unsigned: 0 });
});

test.skipIf(process.platform === 'win32')('makes the log private', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 1);
  const modes = [...filesOf(open.folder), join(open.folder, 'head.json')].map((file) => statSync(file).mode & 0o777);
  expect([statSync(open.folder).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600]);
});

test('writes and signs a decision without waiting for a batch of calls', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder);
  audit.note(decision());
  await new Promise((resolve) => audit.changed.on(() => resolve(undefined)));
  expect(await verify(open.folder)).toMatchObject({ holds: true, last: 3, unsigned: 0 });
  await audit.close();
});

test('does not write while the caller notes records', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder);
  for (let at = 0; at < 1000; at++) audit.note(call());
  expect(filesOf(open.folder)).toEqual([]);
  await audit.close();
});

test('masks secrets, truncates long texts, and stores no payload', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder, { masker: new Masker(['hunter2-hunter2']) });
  audit.note(decision({ sentence: `Start it with hunter2-hunter2 ${'x'.repeat(5000)}` }));
  audit.note(call({ tool: 'y'.repeat(5000), arguments: audit.digest('{"to":"ada@example.com"}') }));
  await audit.close();
  const [written] = filesOf(open.folder).map((file) => readFileSync(file, 'utf8'));
  expect(written).not.toMatch(/hunter2|ada@example|y{201}|x{1001}/);
});

test('computes the same digest for the same text, and another one in another home', async () => {
  using one = openFolder();
  using other = openFolder();
  const [first, second] = [openAudit(one.folder), openAudit(other.folder)];
  const digest = first.digest('{"pin":1234}');
  expect(first.digest([Buffer.from('{"pin":'), Buffer.from('1234}')])).toEqual(digest);
  const seed = Buffer.from(readFileSync(join(one.folder, 'key'), 'utf8').trim(), 'base64url');
  const key = Buffer.from(hkdfSync('sha256', seed, '', 'tooltray audit digests', 32));
  const hmac = createHmac('sha256', key).update('{"pin":1234}').digest('base64url');
  expect(digest).toEqual({ bytes: 12, hmac });
  expect(first.digest('x'.repeat(300_000))).toEqual({
    bytes: 300_000,
    of: 262_144,
    hmac: expect.any(String) as string,
  });
  expect(second.digest('{"pin":1234}').hmac).not.toBe(digest.hmac);
});

test('removes a partial line of a killed process at the next start, and records it', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 3);
  const [file] = filesOf(open.folder);
  appendFileSync(file as string, '{"seq":6,"at":1767225600000,"pre');
  expect(await verify(open.folder)).toMatchObject({
    holds: true,
    notes: [expect.stringContaining('The last line is incomplete') as string],
  });
  await writtenLog(open.folder, 1);
  expect(await records(open.folder)).toMatchObject([
    ...[{ kind: 'call' }, { kind: 'call' }, { kind: 'call' }],
    ...[{ kind: 'mended', bytes: 32 }, { kind: 'call' }],
  ]);
  expect(await verify(open.folder)).toMatchObject({ holds: true, notes: [] });
});

test('starts a log again that contains only a partial line', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 1);
  truncateSync(filesOf(open.folder)[0] as string, 20);
  writeFileSync(join(open.folder, 'head.json'), '');
  await writtenLog(open.folder, 1);
  expect(await records(open.folder)).toMatchObject([{ seq: 2, kind: 'mended', bytes: 20 }, { kind: 'call' }]);
});

test('records permanently that a log was cut back to an earlier head', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 3);
  const short = readFileSync(filesOf(open.folder)[0] as string);
  await writtenLog(open.folder, 5);
  const { last } = await verify(open.folder);
  writeFileSync(filesOf(open.folder)[0] as string, short);
  await writtenLog(open.folder, 1);
  expect(await records(open.folder)).toContainEqual(expect.objectContaining({ kind: 'cut', to: last }));
  expect((await verify(open.folder)).findings).toMatchObject([{ what: 'cut' }]);
});

test('writes one chain from two processes', async () => {
  using open = openFolder();
  const [one, other] = [openAudit(open.folder), openAudit(open.folder)];
  for (let at = 0; at < 20; at++) {
    (at % 2 === 0 ? one : other).note(call({ session: `s${at}` }));
    (at % 2 === 0 ? one : other).flush();
  }
  await Promise.all([one.close(), other.close()]);
  expect((await records(open.folder)).map((record) => 'session' in record && record.session)).toEqual(
    Array.from({ length: 20 }, (_, at) => `s${at}`),
  );
  expect(await verify(open.folder)).toMatchObject({ holds: true });
});

test('deletes and records the oldest files, and still verifies the rest', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder, { limits: { segmentBytes: 10_000, segments: 3 } });
  for (let at = 0; at < 600; at++) {
    audit.note(call({ session: `s${at}` }));
    if (at % 10 === 0) audit.flush();
  }
  await audit.close();
  expect(filesOf(open.folder)).toHaveLength(3);
  const { holds, first, last, notes } = await verify(open.folder);
  expect({ holds, notes }).toEqual({
    holds: true,
    notes: [`Records up to ${first - 1} were deleted to free space; the deletion is recorded.`],
  });
  expect(first).toBeGreaterThan(1);
  expect(last).toBeGreaterThan(600);
});

test('drops calls before decisions while the disk is not writable, and records how many', async () => {
  using open = openFolder();
  const folder = join(open.folder, 'later');
  // A file in place of the folder: nothing can be written.
  writeFileSync(folder, '');
  const audit = openAudit(folder, { limits: { pending: 5 } });
  audit.note(decision());
  for (let at = 0; at < 10; at++) audit.note(call({ session: `s${at}` }));
  expect(audit.flush()).toBe(false);
  rmSync(folder);
  expect(audit.flush()).toBe(true);
  await audit.close();
  expect(await records(folder)).toMatchObject([
    { kind: 'lost', records: 6 },
    { kind: 'decision' },
    ...['s6', 's7', 's8', 's9'].map((session) => ({ session })),
  ]);
});

test('returns pages from the newest backwards by cursor, with filters', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder, { limits: { segmentBytes: 20_000 } });
  for (let at = 0; at < 500; at++) {
    audit.note(call({ session: `s${at}`, server: at % 2 === 0 ? 'files' : 'github' }));
    if (at % 50 === 0) audit.flush();
  }
  await audit.close();
  const found: unknown[] = [];
  for (let before: number | undefined; ;) {
    const { entries, next } = await readPage(new FileAuditLog(open.folder), { server: 'files' }, 30, before);
    found.push(...entries.map((record) => 'session' in record && record.session));
    if (next === undefined) break;
    before = next;
  }
  expect(found).toEqual(Array.from({ length: 250 }, (_, at) => `s${498 - 2 * at}`));
  expect(linesOf(open.folder).length).toBeGreaterThan(1);
});
