/** Payloads of calls on disk: unchanged, masked, within limits, and with a reason if missing. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ActivityThread } from '../../../src-main/core/activity/activity-thread.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { call, storedPayloads } from './fixture.ts';
import { openTexts } from './texts-fixture.ts';
import { allCases } from '../../support/all-cases.ts';
import { until } from '../../support/until.ts';

const secret = 'correct-horse-battery-staple';
const day = 86_400_000;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'texts-'));
  file = join(folder, 'activity.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Everything on disk. */
function onDisk(): string {
  return [file, `${file}-wal`].map((each) => (existsSync(each) ? readFileSync(each, 'latin1') : '')).join('');
}

/** Incompressible text. */
function noise(length: number, seed = 1): string {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = seed; at < length; at++) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[at] = 0x21 + (state % 90);
  }
  return bytes.toString('latin1');
}

test('stores payloads of any length and script to the byte, and returns them after a restart', async () => {
  const long = `${'é🚀\n"'.repeat(100_000)}end`;
  {
    await using open = openTexts(file);
    open.keep(1, { request: '{"a":1.10}', serverResult: 'short', modelResult: '' });
    open.keep(2, { serverResult: long });
  }
  await using open = openTexts(file);
  expect(await open.find(1)).toEqual({
    request: { text: '{"a":1.10}', next: undefined },
    serverResult: { text: 'short', next: undefined },
    modelResult: { text: '', next: undefined },
  });
  // Chunks of odd length would split every second character.
  expect((await open.serverResult(2, 65_537)) === long).toBe(true);
});

test('stores a result that arrived as bytes, and leaves its bytes usable', async () => {
  await using open = openTexts(file);
  const raw = new RawJson([Buffer.from('{"text":"h'), Buffer.from('é".slice'), Buffer.from('}')]);
  open.keep(1, { serverResult: raw });
  expect(await open.serverResult(1)).toBe('{"text":"hé".slice}');
  expect(raw.text()).toBe('{"text":"hé".slice}');
});

test('returns the reason why a side has no text', async () => {
  await using open = openTexts(file);
  open.keep(1, { serverResult: 'spilled', modelResult: 'a summary' });
  open.keep(2, { serverResult: 'nothing', modelResult: 'an error' });
  open.keep(3, { serverResult: 'x'.repeat(8 * 1024 * 1024 + 1) });
  expect([await open.serverResult(1), await open.serverResult(2), await open.serverResult(3)]).toEqual([
    'spilled',
    'nothing',
    'too-long',
  ]);
  expect([(await open.find(3)).modelResult, (await open.find(4)).serverResult]).toEqual([
    { none: 'same' },
    { none: 'gone' },
  ]);
});

test('masks the secrets known at the time of the call, and those known when it is read', async () => {
  const masker = new Masker([secret]);
  await using open = openTexts(file, { masker });
  open.keep(1, { serverResult: `first ${secret}, then another-one-of-these` });
  // The config changes before the record is written.
  masker.setSecrets(['another-one-of-these']);
  open.keep(2, { serverResult: 'second another-one-of-these' });
  expect([await open.serverResult(1), await open.serverResult(2)]).toEqual(['first ***, then ***', 'second ***']);
  expect(onDisk()).not.toContain(secret);
});

test('masks a secret that crosses the end of a part', async () => {
  const masker = new Masker();
  await using open = openTexts(file, { masker });
  open.keep(1, { serverResult: `${'x'.repeat(995)}${secret}${'y'.repeat(995)}` });
  await open.activity.flush();
  masker.setSecrets([secret]);
  expect(await open.serverResult(1, 1000)).toBe(`${'x'.repeat(995)}***${'y'.repeat(995)}`);
});

test('does not store payloads while too much text waits, and stores them again afterwards', async () => {
  await using open = openTexts(file);
  const big = noise(8 * 1024 * 1024);
  for (let at = 1; at <= 5; at++) open.keep(at, { serverResult: `${big.slice(1)}${at}` });
  const dropReason = async (): Promise<unknown> =>
    (await open.activity.ask('recentCalls', 10)).map((row) => row.dropReason).toReversed();
  expect(await dropReason()).toEqual([undefined, undefined, undefined, 'busy', 'busy']);
  await open.activity.ask('settle', 1);
  open.keep(6, { serverResult: 'small' });
  expect(await open.serverResult(6)).toBe('small');
});

test('deletes all payloads when storing is switched off, and stores none meanwhile', async () => {
  let keep = true;
  await using open = openTexts(file, { payloads: () => ({ ...storedPayloads, keep }) });
  open.keep(1, { serverResult: 'xylophone before' });
  expect(await open.serverResult(1)).toBe('xylophone before');
  keep = false;
  await open.activity.prune();
  open.keep(2, { serverResult: 'marimba' });
  expect([await open.serverResult(1), await open.serverResult(2)]).toEqual(['off', 'off']);
  expect(onDisk()).not.toMatch(/xylophone|marimba/);
  keep = true;
  open.keep(3, { serverResult: 'again' });
  expect([await open.serverResult(1), await open.serverResult(2), await open.serverResult(3)]).toEqual([
    'gone',
    'gone',
    'again',
  ]);
});

test('deletes all payloads when it closes, if configured', async () => {
  {
    await using open = openTexts(file, { payloads: () => ({ ...storedPayloads, deleteAtExit: true }) });
    open.keep(1, { serverResult: 'xylophone' });
    expect(await open.serverResult(1)).toBe('xylophone');
  }
  expect(onDisk()).not.toContain('xylophone');
  await using open = openTexts(file);
  expect(await open.serverResult(1)).toBe('gone');
});

test('deletes the oldest payloads beyond their limit, and no records', async () => {
  const limits = { ...storedPayloads, maxBytes: 1_000_000 };
  await using open = openTexts(file, { payloads: () => limits, maxBytes: 1_000_000 });
  for (let at = 1; at <= 40; at++) {
    open.keep(at, { serverResult: noise(50_000, at) });
    await open.activity.flush();
  }
  expect([await open.serverResult(1), await open.serverResult(40)]).toEqual(['gone', noise(50_000, 40)]);
  expect(await open.activity.ask('recentCalls', 100)).toHaveLength(40);
  expect(statSync(file).size).toBeLessThan(2_000_000 * 1.1);
});

test('keeps payloads when records exceed their limit', async () => {
  await using open = openTexts(file, { maxBytes: 300_000 });
  const text = noise(400_000);
  open.keep(1, { serverResult: text });
  const error = { code: 'internal', text: 'e'.repeat(500) };
  for (let at = 2; at <= 2000; at++) open.activity.record(call({ startedAt: at, error }));
  await open.activity.flush();
  const kept = async () => {
    const sql = 'SELECT (SELECT min(startedAt) FROM calls) AS first, (SELECT max(length(body)) FROM texts) AS body';
    const [rows] = await open.activity.ask('sql', [{ sql }]);
    return rows?.[0];
  };
  await until(async () => Number((await kept())?.['first']) > 2);
  expect(Number((await kept())?.['body'])).toBeGreaterThan(200_000);
});

test('returns no payload that is too old, and deletes it when it prunes', async () => {
  let limits = { ...storedPayloads, retentionDays: 1 };
  await using open = openTexts(file, { payloads: () => limits });
  const now = Date.now();
  const [old, recent] = [now - 2 * day, now - 1000];
  for (const at of [old, recent]) open.keep(at, { serverResult: 'said' });
  expect([await open.serverResult(old), await open.serverResult(recent)]).toEqual(['gone', 'said']);
  await open.activity.prune();
  limits = { ...limits, retentionDays: 100 };
  expect([await open.serverResult(old), await open.serverResult(recent)]).toEqual(['gone', 'said']);
});

test('does not delete by age a payload that was written after a younger one', async () => {
  const now = Date.now();
  let limits = { ...storedPayloads, retentionDays: 10_000 };
  await using open = openTexts(file, { payloads: () => limits });
  // The third was recorded while the clock was wrong.
  const times = [now - 30 * day, now - day, now - 20 * day, now];
  for (const at of times) open.keep(at, { serverResult: 'said' });
  await open.activity.flush();
  limits = { ...limits, retentionDays: 7 };
  await open.activity.prune();
  limits = { ...limits, retentionDays: 10_000 };
  expect(await Promise.all(times.map((at) => open.serverResult(at)))).toEqual(['gone', 'said', 'said', 'said']);
});

test('returns no payload for the id of a call that began at another time', async () => {
  await using open = openTexts(file);
  open.keep(1, { serverResult: 'of the first record' });
  const other = { id: 1, startedAt: 5, dropReason: undefined, sides: ['serverResult'], from: 0, length: 9 } as const;
  expect((await open.activity.ask('payload', other)).serverResult).toEqual({ none: 'gone' });
});

test('reports a damaged payload, and finds the others', async () => {
  await using open = openTexts(file);
  for (const at of [1, 2]) open.keep(at, { serverResult: `text ${at}` });
  await open.activity.ask('sql', [{ sql: "UPDATE texts SET body = x'00' WHERE startedAt = 1" }]);
  expect([await open.serverResult(1), await open.serverResult(2)]).toEqual(['failed', 'text 2']);
});

test('ends its thread when idle, and starts it again for the next request', async () => {
  const thread = new ActivityThread({ idleMs: 1 });
  {
    await using open = openTexts(file, { thread });
    for (let at = 1; at <= 3; at++) {
      open.keep(at, { serverResult: `call ${at}` });
      expect(await open.serverResult(at)).toBe(`call ${at}`);
      await expect.poll(() => thread.isRunning, { interval: 1 }).toBe(false);
    }
    expect(await open.serverResult(1)).toBe('call 1');
  }
  await thread.close();
});

test('finds words by their beginning, also behind escapes, and after a restart', async () => {
  {
    await using open = openTexts(file);
    open.keep(1, { request: '{"repo":"Héllo/world"}', serverResult: '{"text":"one\\nbeta list_issues"}' });
    open.keep(2, { serverResult: JSON.stringify({ text: JSON.stringify({ a: 'x\nbeta', path: 'C:\\beta' }) }) });
    open.keep(3, { serverResult: 'nothing of it' });
    // Pending writes are searched as well.
    expect(await open.search('bet')).toEqual([2, 1]);
  }
  await using open = openTexts(file);
  expect(await open.search('beta')).toEqual([2, 1]);
  expect(await open.search('hello WORLD')).toEqual([1]);
  expect(await open.search('list_issues')).toEqual([1]);
  expect([await open.search('ello'), await open.search('"*" OR (')]).toEqual([[], []]);
});

test('indexes no secret', async () => {
  await using open = openTexts(file, { masker: new Masker([secret]) });
  open.keep(1, { serverResult: `the word is ${secret}` });
  expect([await open.search('word'), await open.search('horse'), await open.search(secret)]).toEqual([[1], [], []]);
  expect(onDisk()).not.toMatch(/horse/);
});

test('finds no deleted text, and leaves no word of it on disk', async () => {
  const now = Date.now();
  let limits = { ...storedPayloads, retentionDays: 10 };
  {
    await using open = openTexts(file, { payloads: () => limits });
    open.keep(now - 5 * day, { serverResult: 'xylophone' });
    open.keep(now - 1000, { serverResult: 'marimba' });
    expect(await open.search('xylophone')).toHaveLength(1);
    limits = { ...limits, retentionDays: 1 };
    expect(await open.search('xylophone')).toEqual([]);
    await open.activity.prune();
  }
  expect(onDisk()).not.toContain('xylophone');
  await using open = openTexts(file, { payloads: () => limits });
  expect(await open.search('marimba')).toHaveLength(1);
});

test.runIf(allCases)('counts the index towards the limit, and restores a missing one', async () => {
  const limits = { ...storedPayloads, maxBytes: 2_000_000 };
  const words = (id: number): string =>
    Array.from({ length: 300 }, (_one, at) => `w${(id * 7919 + at * 104_729) % 999_983}`).join(' ');
  {
    await using open = openTexts(file, { payloads: () => limits, maxBytes: 1_000_000 });
    for (let id = 1; id <= 3050; id++) open.keep(id, { serverResult: `number${id} ${words(id)}` });
    expect([await open.search('number3050'), await open.search('number1')]).toEqual([[3050], []]);
  }
  expect(statSync(file).size).toBeLessThan(3_000_000 * 1.1);
  const database = new DatabaseSync(file);
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'").all())
    database.exec(`DROP TABLE ${String(name)}`);
  database.close();
  await using open = openTexts(file, { payloads: () => limits });
  expect(await open.search('number3050')).toEqual([]);
  await open.activity.prune();
  expect(await open.search('number3050')).toEqual([3050]);
});
