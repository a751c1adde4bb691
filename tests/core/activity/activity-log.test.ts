/** Every call is recorded, within limits, in a file that survives failures. */
import { type ChildProcess, spawn } from 'node:child_process';
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
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ActivityThread } from '../../../src-main/core/activity/activity-thread.ts';
import { maxPendingEvents } from '../../../src-main/core/activity/activity-log.ts';
import type { ActivityEntry } from '../../../src-main/core/activity/call-record.ts';
import type { StepRecord } from '../../../src-main/core/activity/steps/step.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { StoreHealth } from '../../../src-main/core/health/store-health.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { call, type OpenActivity, openActivity, recent, storedPayloads, texts } from './fixture.ts';
import { allCases } from '../../support/all-cases.ts';
import { until } from '../../support/until.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'activity-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The records, newest first, once the tokens of all are counted. */
async function counted(open: OpenActivity): Promise<readonly ActivityEntry[]> {
  await until(async () => (await recent(open)).every(({ tokens }) => tokens.modelResult !== undefined));
  return recent(open);
}

const step: StepRecord = {
  ...{
    id: 1,
    startedAt: 1,
    sessionId: 's',
    app: 'a',
    mode: 'search',
    kind: 'call',
    name: 'n',
    what: '',
    outcome: 'ok',
  },
  ...{ durationMs: 1, requestBytes: 1, modelResultBytes: 1, calls: 0 },
};

async function callCount(open: OpenActivity, tool = '%'): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM calls WHERE tool LIKE ?';
  const [rows] = await open.activity.ask('sql', [{ sql, values: [tool] }]);
  return Number(rows?.[0]?.['n']);
}

test('returns a record as it was recorded', async () => {
  await using open = openActivity(folder);
  const failed = call({ outcome: 'failed', error: { code: 'server_exited', text: 'files exited.' }, via: 'call_tool' });
  const declared = { reason: 'to see it', sensitivity: 'public' };
  const unspilled = { reason: 'below', limitBytes: 1000 } as const;
  const full = call({ declared, unspilled, user: 'ada', preview: 'a.txt', spillId: 'k3x', repeats: 2, step: 7 });
  open.activity.record(full);
  open.activity.record(failed);
  expect(await recent(open)).toEqual([
    { ...failed, id: 2, declared: {}, tokens: { estimated: false } },
    { ...full, id: 1, tokens: { estimated: false } },
  ]);
});

test('counts tokens after the call, also of results that arrived as bytes', async () => {
  await using open = openActivity(folder);
  const [args, given, sent] = ['{"path":"a.txt"}', '{"text":"three files <|endoftext|>"}', '{"rows":[1,2,3]}'];
  const result = new RawJson([Buffer.from(sent)]);
  open.activity.record(call(), texts(open, { arguments: args, result, given: new RawJson([Buffer.from(given)]) }));
  const count = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;
  expect((await counted(open))[0]).toMatchObject({
    tokens: { request: count(args), serverResult: count(sent), modelResult: count(given), estimated: false },
  });
});

test('uses a known token count, and counts a result that was returned unchanged only once', async () => {
  await using open = openActivity(folder);
  const given = { content: [{ type: 'text', text: 'three' }] };
  open.activity.record(call(), texts(open, { result: given, given }));
  open.activity.record(call(), { ...texts(open, { given }), spilled: { tokens: 4711, estimated: true } });
  const tokens = encode(JSON.stringify(given)).length;
  expect(await counted(open)).toMatchObject([
    { tokens: { serverResult: 4711, modelResult: tokens, estimated: true } },
    { tokens: { serverResult: tokens, modelResult: tokens, estimated: false } },
  ]);
});

test('counts a result that says the same as text and as structured content once', async () => {
  await using open = openActivity(folder);
  const structuredContent = { rows: [1, 2, 3] };
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  const result = { content, structuredContent };
  open.activity.record(call(), texts(open, { result, given: result }));
  expect((await counted(open))[0]?.tokens.modelResult).toBe(encode(JSON.stringify({ content })).length);
});

test('writes waiting records and the tokens still being counted when it closes', async () => {
  {
    await using open = openActivity(folder);
    const record = (): void => open.activity.record(call(), texts(open, { arguments: 'one two', given: 'three' }));
    // On a busy computer, loading the tokenizer may take longer than the timeout of closing.
    record();
    await counted(open);
    for (let n = 0; n < 50; n++) record();
    open.activity.defer(record);
  }
  const database = new DatabaseSync(join(folder, 'activity.db'));
  const sums = database.prepare('SELECT count(*) AS calls, sum(requestTokens) AS requestTokens FROM calls').get();
  database.close();
  expect(sums).toEqual({ calls: 52, requestTokens: 104 });
});

test('estimates the tokens of text beyond the memory limit', async () => {
  await using open = openActivity(folder);
  const big = new RawJson([Buffer.alloc(8_000_000, ' ')]);
  for (let n = 0; n < 5; n++) open.activity.share(new RawJson([...big.chunks]));
  open.activity.record(call(), texts(open, { given: big }));
  expect((await counted(open))[0]).toMatchObject({
    tokens: { modelResult: 2_000_000, estimated: true },
    dropReason: 'busy',
  });
});

test('creates deferred records later, but before a query reads them', async () => {
  await using open = openActivity(folder);
  let made = 0;
  for (let n = 0; n < 3; n++) {
    open.activity.defer(() => {
      made++;
      open.activity.record(call());
    });
  }
  expect(made).toBe(0);
  expect(await callCount(open)).toBe(3);
});

test('is written soon without a query', async () => {
  await using open = openActivity(folder);
  await open.activity.flush();
  let isWritten = false;
  open.activity.changed.on(() => (isWritten = true));
  open.activity.record(call());
  await until(() => isWritten);
  expect(newestOnDisk()).toBe(call().startedAt);
});

test('leaves the event loop free while another process holds the database locked', async () => {
  await using open = openActivity(folder);
  await open.activity.flush();
  const other = new DatabaseSync(open.file);
  other.exec('BEGIN IMMEDIATE');
  for (let n = 0; n < 2000; n++) open.activity.record(call());
  let isAnswered = false;
  // The thread waits for the lock, for a quarter of a second each time.
  void Promise.all([1, 2, 3, 4].map(() => open.activity.flush())).then(() => (isAnswered = true));
  let turns = 0;
  for (; !isAnswered; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(turns).toBeGreaterThan(100);
  other.exec('COMMIT');
  other.close();
  await until(async () => (await callCount(open)) === 2000);
});

test('drops and counts what comes while the queue is full, and records again afterwards', async () => {
  await using open = openActivity(folder);
  mkdirSync(open.file);
  for (let n = 0; n < maxPendingEvents + 100; n++) open.activity.record(call({ startedAt: n }));
  await open.activity.flush();
  rmSync(open.file, { recursive: true });
  await until(
    async () =>
      (await open.activity.ask('flush').then(
        () => callCount(open),
        () => 0,
      )) === maxPendingEvents,
  );
  await until(() => readFileSync(open.logFile, 'utf8').includes('"dropped":100'));
  open.activity.record(call({ tool: 'after' }));
  await until(async () => (await recent(open, 1))[0]?.tool === 'after');
});

test('leaves out a row that the tables refuse, and writes the others', async () => {
  await using open = openActivity(folder);
  open.activity.record(call({ tool: 'before' }));
  open.activity.post({ kind: 'step', step: { ...step, durationMs: Number.NaN } });
  open.activity.post({ kind: 'step', step });
  open.activity.record(call({ tool: 'after' }));
  expect((await recent(open)).map(({ tool }) => tool)).toEqual(['after', 'before']);
  expect((await open.activity.ask('searchSteps', {}, { limit: 5 }, 1)).steps.map(({ id }) => id)).toEqual([step.id]);
});

test('starts another thread when one dies, and reports what was lost with it', async () => {
  const worker = new URL('../../../src-main/core/activity/activity-worker/activity-worker.ts', import.meta.url);
  const entry = join(folder, 'dies-once.mjs');
  writeFileSync(
    entry,
    `import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const flag = ${JSON.stringify(join(folder, 'died'))};
    if (existsSync(flag)) await import(${JSON.stringify(worker.href)});
    else parentPort.on('message', () => (writeFileSync(flag, ''), process.exit(1)));`,
  );
  const thread = new ActivityThread({ entry: pathToFileURL(entry) });
  {
    await using open = openActivity(folder, { thread });
    open.activity.record(call({ tool: 'lost' }));
    await open.activity.flush();
    open.activity.record(call({ tool: 'kept' }));
    expect((await recent(open)).map(({ tool }) => tool)).toEqual(['kept']);
  }
  await thread.close();
  expect(readFileSync(join(folder, 'core.log'), 'utf8')).toContain('"dropped":1');
});

test('reports that the database cannot be written, and that it can be again', async () => {
  const health = new StoreHealth();
  await using open = openActivity(folder, { health });
  mkdirSync(open.file);
  open.activity.record(call());
  await until(() => health.problems.some(({ store }) => store === 'activity'));
  rmSync(open.file, { recursive: true });
  await until(async () => {
    await open.activity.flush();
    return health.problems.length === 0;
  });
  await health.close();
});

test('leaves a database of a newer version alone, and writes one beside it', async () => {
  const file = join(folder, 'activity.db');
  const newer = new DatabaseSync(file);
  newer.exec('CREATE TABLE future (x); PRAGMA user_version = 99');
  newer.close();
  const before = readFileSync(file);
  {
    await using open = openActivity(folder);
    open.activity.record(call());
    expect(await callCount(open)).toBe(1);
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder)).toContain('activity.v1.db');
});

test('is read by another process while it is written', async () => {
  await using open = openActivity(folder);
  open.activity.record(call());
  await open.activity.flush();
  using other = new DatabaseSync(open.file, { readOnly: true });
  const seen = (): unknown => other.prepare('SELECT count(*) AS n FROM calls').get()?.['n'];
  expect(seen()).toBe(1);
  open.activity.record(call());
  await open.activity.flush();
  expect(seen()).toBe(2);
});

test('keeps the newest rows up to maxRows', async () => {
  await using open = openActivity(folder, { maxRows: 1000 });
  for (let n = 1; n <= 20_000; n++) open.activity.record(call({ startedAt: n }));
  const kept = await recent(open, 100_000);
  expect([kept.length, kept[0]?.startedAt, kept.at(-1)?.startedAt]).toEqual([1000, 20_000, 19_001]);
});

test.runIf(allCases)('keeps its files within maxBytes while 20 000 records are written', async () => {
  const maxBytes = 1_000_000;
  await using open = openActivity(folder, { maxBytes });
  let [largest, largestWithWal] = [0, 0];
  for (let n = 1; n <= 20_000; n++) {
    open.activity.record(
      call({ startedAt: n, error: { code: 'internal', text: 'e'.repeat(n % 3000) }, tool: `tool${n % 50}` }),
    );
    if (n % 100 === 0) {
      await open.activity.flush();
      largest = Math.max(largest, sizeOf(open.file));
      largestWithWal = Math.max(largestWithWal, sizeOf(open.file) + sizeOf(`${open.file}-wal`));
    }
  }
  expect(largest).toBeLessThan(maxBytes * 1.1);
  expect(largestWithWal).toBeLessThan(maxBytes * 1.3);
  const kept = await recent(open, 100_000);
  expect(kept[0]?.startedAt).toBe(20_000);
  expect(kept.length).toBeGreaterThan(400);
  expect(kept.length).toBe(20_000 - (kept.at(-1)?.startedAt ?? 0) + 1);
});

test('shrinks an existing file when maxBytes is lowered', async () => {
  const text = 'e'.repeat(2000);
  {
    await using open = openActivity(folder);
    for (let n = 1; n <= 2000; n++) open.activity.record(call({ error: { code: 'internal', text } }));
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
  const text = `401 for ${secret} with Authorization: Bearer abc-zzz-123 and token=zzzq`;
  open.activity.record(
    call({ error: { code: 'internal', text }, tool: secret, server: `x ${secret}`, via: secret }),
    texts(open, { arguments: secret, given: secret }),
  );
  writeFileSync(open.file, 'not a database');
  expect((await recent(open))[0]?.error?.text).toContain('401 for ***');
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
    for (let n = 0; n < 2000; n++) open.activity.record(call({ error: { code: 'internal', text: 'old' } }));
  }
  damage(join(folder, 'activity.db'));
  {
    await using open = openActivity(folder);
    open.activity.record(call({ tool: 'new' }));
    await open.activity.flush();
    open.activity.record(call({ tool: 'newer' }));
    expect((await recent(open))[0]?.tool).toBe('newer');
    expect(await callCount(open)).toBeLessThan(10);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.corrupt'))).toEqual(['activity.db.corrupt']);
  expect(readFileSync(join(folder, 'core.log'), 'utf8')).toContain('moved aside');
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

test('stores a record with invalid values after correcting them', async () => {
  await using open = openActivity(folder);
  const bytes = { request: 1, serverResult: 1.5, modelResult: 1 };
  open.activity.record(call({ durationMs: NaN, bytes, startedAt: 7.9, tool: `\ud800${'x'.repeat(1000)}` }));
  expect((await recent(open))[0]).toMatchObject({ durationMs: 0, bytes: { serverResult: 2 }, startedAt: 8 });
  expect((await recent(open))[0]?.tool).toMatch(/^\ufffdx{299}$/);
});

test('gives the database files permissions for their owner only', async () => {
  await using open = openActivity(folder);
  open.activity.record(call());
  await open.activity.flush();
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  expect(modes.length).toBeGreaterThan(1);
});

interface Writer {
  readonly child: ChildProcess;
  /** The last call of each turn, and its time in ms since the epoch. */
  readonly turns: (readonly [number, number])[];
}

/** Starts a process that records into the folder; resolves when something of it is on disk. */
async function startWriter(): Promise<Writer> {
  const script = new URL('crash-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const turns: (readonly [number, number])[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [n = 0, at = 0] = line.split(' ').map(Number);
    turns.push([n, at]);
  });
  await until(() => turns.length > 100 && newestOnDisk() > 0);
  return { child, turns };
}

function newestOnDisk(): number {
  const database = new DatabaseSync(join(folder, 'activity.db'), { readOnly: true });
  try {
    return Number(database.prepare('SELECT max(startedAt) AS n FROM calls').get()?.['n'] ?? 0);
  } finally {
    database.close();
  }
}

async function kill({ child }: Writer): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

test('loses at most the last second when the process is killed, and leaves a sound database', async () => {
  for (let round = 0; round < 3; round++) {
    rmSync(join(folder, 'activity.db'), { force: true });
    const writer = await startWriter();
    const from = writer.turns.length;
    await until(() => writer.turns.length > from + 150 + 40 * round);
    await kill(writer);
    const last = writer.turns.at(-1)?.[1] ?? 0;
    // A late turn shows how long the computer delayed the process.
    const lateMs = Math.max(...writer.turns.map(([, at], index) => at - (writer.turns[index - 1]?.[1] ?? at)));
    const safe = writer.turns.findLast(([, at]) => at <= last - 1000 - 3 * lateMs)?.[0] ?? 0;
    const written = newestOnDisk();
    expect(written).toBeGreaterThanOrEqual(safe);
    await using open = openActivity(folder);
    open.activity.record(call({ tool: 'after' }));
    expect((await recent(open, 1))[0]?.tool).toBe('after');
    // Nothing is missing in between.
    expect(await callCount(open)).toBe(written + 1);
    using database = new DatabaseSync(open.file);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  }
  expect(readdirSync(folder).filter((name) => name.includes('corrupt'))).toEqual([]);
});

test('allows two processes to write the same file at once', async () => {
  const writers = await Promise.all([startWriter(), startWriter()]);
  await using open = openActivity(folder);
  for (let n = 0; n < 500; n++) open.activity.record(call({ tool: 'mine' }));
  await until(async () => (await callCount(open, 'mine')) === 500);
  expect(writers.map(({ child }) => child.exitCode)).toEqual([null, null]);
  await Promise.all(writers.map(kill));
  expect(readdirSync(folder).filter((name) => name.includes('corrupt'))).toEqual([]);
});

test('returns the reason why the payloads of a call are not stored', async () => {
  await using open = openActivity(folder, { payloads: () => ({ ...storedPayloads, keep: false }) });
  open.activity.record(call(), texts(open, { given: 'x' }));
  open.activity.record(call());
  expect((await recent(open)).map(({ dropReason }) => dropReason)).toEqual([undefined, 'off']);
});
