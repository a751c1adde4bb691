/** Every call is stored, within limits, in a file that recovers from damage. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { DeferredQueue } from '../../../src-main/core/base/scheduling/deferred-queue.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { call, openActivity } from './fixture.ts';
import { allCases } from '../../support/all-cases.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'activity-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

test('returns a record as it was recorded', async () => {
  await using open = openActivity(folder);
  const failed = call({ outcome: 'failed', errorCode: 'server_exited', errorText: 'files exited.', via: 'call_tool' });
  open.activity.record(call({ tokensIn: 3, tokensOut: 4 }));
  open.activity.record(failed);
  expect(open.activity.recent()).toEqual([
    { ...failed, id: 2, tokensEstimated: false },
    { ...call({ tokensIn: 3, tokensOut: 4 }), id: 1, tokensEstimated: false },
  ]);
});

test('counts tokens after the call, also of results that arrived as bytes', async () => {
  await using open = openActivity(folder);
  const texts = {
    arguments: '{"path":"a.txt"}',
    given: '{"text":"three files <|endoftext|>"}',
    sent: '{"rows":[1,2,3]}',
  };
  const given = new RawJson([Buffer.from(texts.given)]);
  const made = vi.spyOn(given, 'text');
  open.activity.record(call(), { arguments: texts.arguments, given, sent: { text: texts.sent, bytes: 16 } });
  expect(made).not.toHaveBeenCalled();
  const count = (text: string) => encode(text, { disallowedSpecial: new Set() }).length;
  await vi.waitFor(() => expect(open.activity.recent()[0]?.tokensIn).toBe(count(texts.arguments)), 30_000);
  expect(open.activity.recent()[0]).toMatchObject({
    tokensOut: count(texts.given),
    tokensSent: count(texts.sent),
    tokensEstimated: false,
  });
});

test('uses a known token count, and counts a result that was returned unchanged only once', async () => {
  await using open = openActivity(folder);
  open.activity.record(call(), { arguments: '', given: 'three', sent: 'same' });
  open.activity.record(call(), { arguments: '', given: 'three', sent: { tokens: 4711, estimated: true } });
  await vi.waitFor(() => expect(open.activity.recent().every(({ tokensOut }) => tokensOut === 1)).toBe(true), 30_000);
  expect(open.activity.recent()).toMatchObject([
    { tokensSent: 4711, tokensEstimated: true },
    { tokensSent: 1, tokensEstimated: false },
  ]);
});

test('writes waiting records and the tokens still being counted when it closes', async () => {
  {
    await using open = openActivity(folder);
    const record = (): void => open.activity.record(call(), { arguments: 'one two', given: 'three', sent: 'same' });
    // Reading the tokenizer's table may take a busy machine longer than closing waits.
    record();
    await vi.waitFor(() => expect(open.activity.recent()[0]?.tokensOut).toBe(1), 30_000);
    for (let n = 0; n < 50; n++) record();
  }
  await using again = openActivity(folder);
  expect(again.activity.stats()).toMatchObject({ calls: 51, tokensIn: 102, tokensOut: 51 });
});

test('estimates the tokens of text beyond the memory limit', async () => {
  await using open = openActivity(folder);
  const held = { argumentBytes: 0, givenBytes: 60_000_000 };
  open.activity.record(call(held), { arguments: '', given: 'short', sent: 'same' });
  open.activity.record(call(held), { arguments: '', given: 'not held', sent: 'same' });
  await vi.waitFor(
    () => expect(open.activity.recent().every((each) => each.tokensOut !== undefined)).toBe(true),
    30_000,
  );
  expect(open.activity.recent().map(({ tokensOut, tokensEstimated }) => [tokensOut, tokensEstimated])).toEqual([
    [15_000_000, true],
    [1, false],
  ]);
});

test('filters and pages records', async () => {
  await using open = openActivity(folder);
  for (let n = 1; n <= 20; n++) {
    open.activity.record(call({ startedAt: n, server: n % 2 ? 'odd' : 'even', outcome: n > 18 ? 'blocked' : 'ok' }));
  }
  const ids = (...question: Parameters<typeof open.activity.recent>) =>
    open.activity.recent(...question).map(({ id }) => id);
  expect(ids({ server: 'odd' }, 3)).toEqual([19, 17, 15]);
  expect(ids({ server: 'odd', beforeId: 15 }, 2)).toEqual([13, 11]);
  expect(ids({ outcome: 'blocked' })).toEqual([20, 19]);
  expect(ids({ since: 19 })).toEqual([20, 19]);
  expect(() => open.activity.recent({ 'id = 1 OR 1': 'x' } as never)).toThrow(/no such filter/);
});

test('creates deferred records later, but before a query reads them', async () => {
  await using open = openActivity(folder);
  let made = 0;
  const make = () => {
    made++;
    open.activity.record(call());
  };
  for (let n = 0; n < 3; n++) open.activity.deferRecord(make);
  expect(made).toBe(0);
  expect(open.activity.stats().calls).toBe(3);
});

test('writes deferred records when it closes', async () => {
  {
    await using open = openActivity(folder);
    for (let n = 0; n < 3; n++) open.activity.deferRecord(() => open.activity.record(call()));
  }
  await using again = openActivity(folder);
  expect(again.activity.stats().calls).toBe(3);
});

test('holds at most 1200 calls while the database cannot be written', async () => {
  const file = join(folder, 'not', 'a-folder');
  writeFileSync(join(folder, 'not'), '');
  await using open = openActivity(folder, { file });
  const made = vi.fn(() => open.activity.record(call()));
  for (let n = 0; n < 2050; n++) {
    open.activity.deferRecord(made);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(2050 - made.mock.calls.length).toBeLessThanOrEqual(1200);
});

test('writes a burst of records in slices that leave the event loop free in between', async () => {
  await using open = openActivity(folder);
  const made = vi.fn(() => {
    for (const until = performance.now() + 0.1; performance.now() < until;);
    open.activity.record(call());
  });
  for (let n = 0; n < 200; n++) open.activity.deferRecord(made);
  let turns = 0;
  for (; made.mock.calls.length < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(turns).toBeGreaterThan(2);
  expect(open.activity.stats().calls).toBe(200);
});

test('commits a sliced write soon, even if more records are waiting', async () => {
  const putOff = new DeferredQueue();
  await using open = openActivity(folder, { putOff });
  for (let n = 0; n < 8; n++) open.activity.record(call());
  putOff.sliceDone.emit(true);
  const other = new DatabaseSync(open.file, { readOnly: true });
  onTestFinished(() => other.close());
  const seen = (): unknown => other.prepare('SELECT count(*) AS count FROM calls').get()?.['count'];
  expect(seen()).toBe(0);
  await expect.poll(seen, { interval: 5 }).toBe(8);
});

test('stats add up the retained records', async () => {
  await using open = openActivity(folder);
  expect(open.activity.stats()).toMatchObject({ calls: 0, since: undefined, tools: [] });
  open.activity.record(call({ startedAt: 5, durationMs: 10, tokensIn: 1, tokensOut: 2 }));
  open.activity.record(call({ startedAt: 6, durationMs: 30, outcome: 'tool_error' }));
  open.activity.record(call({ tool: 'write' }));
  expect(open.activity.stats()).toEqual({
    calls: 3,
    outcomes: { ok: 2, tool_error: 1, failed: 0, cancelled: 0, blocked: 0 },
    tokensIn: 1,
    tokensOut: 2,
    resultBytes: 3000,
    givenBytes: 300,
    since: 5,
    tools: [
      {
        server: 'files',
        tool: 'read',
        calls: 2,
        failures: 1,
        averageMs: 20,
        maxMs: 30,
        lastUsedAt: 6,
        resultBytes: 2000,
        givenBytes: 200,
        tokensIn: 1,
        tokensOut: 2,
      },
      {
        server: 'files',
        tool: 'write',
        calls: 1,
        failures: 0,
        averageMs: 12.5,
        maxMs: 12.5,
        lastUsedAt: 1_700_000_000_000,
        resultBytes: 1000,
        givenBytes: 100,
        tokensIn: 0,
        tokensOut: 0,
      },
    ],
  });
});

test('keeps the newest rows up to maxRows', async () => {
  await using open = openActivity(folder, { maxRows: 1000 });
  for (let n = 1; n <= 20_000; n++) open.activity.record(call({ startedAt: n }));
  const kept = open.activity.recent({}, 100_000);
  expect([kept.length, kept[0]?.startedAt, kept.at(-1)?.startedAt]).toEqual([1000, 20_000, 19_001]);
});

test.runIf(allCases)('keeps its files within maxBytes while 20 000 records are written', async () => {
  const maxBytes = 1_000_000;
  await using open = openActivity(folder, { maxBytes });
  let [largest, largestWithWal] = [0, 0];
  for (let n = 1; n <= 20_000; n++) {
    open.activity.record(call({ startedAt: n, errorText: 'e'.repeat(n % 3000), tool: `tool${n % 50}` }));
    if (n % 100 === 0) {
      open.activity.flush();
      largest = Math.max(largest, sizeOf(open.file));
      largestWithWal = Math.max(largestWithWal, sizeOf(open.file) + sizeOf(`${open.file}-wal`));
    }
  }
  expect(largest).toBeLessThan(maxBytes * 1.1);
  expect(largestWithWal).toBeLessThan(maxBytes * 1.3);
  const kept = open.activity.recent({}, 100_000);
  expect(kept[0]?.startedAt).toBe(20_000);
  expect(kept.length).toBeGreaterThan(400);
  expect(kept.length).toBe(20_000 - (kept.at(-1)?.startedAt ?? 0) + 1);
});

test('shrinks an existing file when maxBytes is lowered', async () => {
  const text = 'e'.repeat(2000);
  {
    await using open = openActivity(folder);
    for (let n = 1; n <= 2000; n++) open.activity.record(call({ errorText: text }));
  }
  const before = sizeOf(join(folder, 'activity.db'));
  {
    await using open = openActivity(folder, { maxBytes: 1_000_000 });
    open.activity.record(call());
  }
  expect(before).toBeGreaterThan(4_000_000);
  expect(sizeOf(join(folder, 'activity.db'))).toBeLessThan(1_100_000);
});

test('writes no secret to the database or the log', async () => {
  const secret = 'correct horse battery staple';
  const open = openActivity(folder, { masker: new Masker([secret]) });
  const errorText = `401 for ${secret} with Authorization: Bearer abc-zzz-123 and token=zzzq`;
  open.activity.record(call({ errorText, tool: secret, server: `x ${secret}`, via: secret }), {
    arguments: secret,
    given: secret,
    sent: 'same',
  });
  writeFileSync(open.file, 'not a database');
  expect(open.activity.recent()[0]?.errorText).toContain('401 for ***');
  await open[Symbol.asyncDispose]();
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(files.length).toBeGreaterThan(1);
  for (const leak of [secret, 'zzz']) expect(files.filter((text) => text.includes(leak))).toEqual([]);
});

test.each([
  ['is no database', (file: string) => writeFileSync(file, 'garbage'.repeat(10_000))],
  ['is torn in the middle', tear],
  ['has other tables', (file: string) => alter(file, 'DROP TABLE calls; CREATE TABLE calls (x)')],
])('sets aside a file that %s, and starts a new one', async (_what, damage) => {
  {
    await using open = openActivity(folder);
    for (let n = 0; n < 2000; n++) open.activity.record(call({ errorText: 'old' }));
  }
  damage(join(folder, 'activity.db'));
  {
    await using open = openActivity(folder);
    open.activity.record(call({ tool: 'new' }));
    open.activity.stats();
    open.activity.record(call({ tool: 'newer' }));
    expect(open.activity.recent()[0]?.tool).toBe('newer');
    expect(open.activity.stats().calls).toBeLessThan(10);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.corrupt'))).toEqual(['activity.db.corrupt']);
  expect(readFileSync(join(folder, 'core.log'), 'utf8')).toContain('set aside');
});

function alter(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function tear(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xaa, 4096 * 3, bytes.length - 4096 * 2);
  writeFileSync(file, bytes);
}

test('fails no call when the file cannot be written, and writes the records once it can', async () => {
  await using open = openActivity(folder);
  mkdirSync(open.file);
  open.activity.record(call());
  expect(() => open.activity.flush()).not.toThrow();
  rmSync(open.file, { recursive: true });
  expect(open.activity.recent()).toHaveLength(1);
});

test('stores a record with invalid values after correcting them', async () => {
  await using open = openActivity(folder);
  open.activity.record(call({ durationMs: NaN, resultBytes: 1.5, startedAt: 7.9, tool: `\ud800${'x'.repeat(1000)}` }));
  expect(open.activity.recent()[0]).toMatchObject({ durationMs: 0, resultBytes: 2, startedAt: 8 });
  expect(open.activity.recent()[0]?.tool).toMatch(/^\ufffdx{299}$/);
});

test('gives the database files permissions for their owner only', async () => {
  await using open = openActivity(folder);
  open.activity.record(call());
  open.activity.flush();
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  expect(modes.length).toBeGreaterThan(1);
});

/** Starts a process that writes into the folder; resolves when it has written. */
async function startWriter() {
  const script = new URL('crash-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: Awaited<ReturnType<typeof startWriter>>): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('leaves a readable and writable database when the process is killed while writing', async () => {
  for (let round = 0; round < 3; round++) await kill(await startWriter());
  await using open = openActivity(folder);
  open.activity.record(call({ tool: 'after' }));
  expect(open.activity.recent({}, 1)[0]?.tool).toBe('after');
  expect(open.activity.stats().calls).toBeGreaterThan(300);
  const database = new DatabaseSync(open.file);
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
  expect(readdirSync(folder).filter((name) => name.includes('corrupt'))).toEqual([]);
});

test('allows two processes to write the same file at once', async () => {
  const writers = await Promise.all([startWriter(), startWriter()]);
  await using open = openActivity(folder);
  for (let n = 0; n < 500; n++) open.activity.record(call({ tool: 'mine' }));
  await vi.waitFor(() => {
    open.activity.flush();
    expect(open.activity.recent({ tool: 'mine' }, 1000)).toHaveLength(500);
  }, 30_000);
  expect(writers.map((writer) => writer.exitCode)).toEqual([null, null]);
  await Promise.all(writers.map(kill));
  expect(readdirSync(folder).filter((name) => name.includes('corrupt'))).toEqual([]);
});

test('returns the reason why the payloads of a call are not stored', async () => {
  await using open = openActivity(folder);
  open.activity.record(call({ unkept: 'busy' }));
  open.activity.record(call());
  expect(open.activity.recent({}, 2).map(({ unkept }) => unkept)).toEqual([undefined, 'busy']);
});
