/** Payloads of calls on disk: stored byte for byte, masked and bounded, and with a reason if one is missing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { type OpenTexts, openTexts, said, saidOf, textLimits } from './texts-fixture.ts';
import { allCases } from '../../support/all-cases.ts';

const secret = 'correct-horse-battery-staple';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'texts-'));
  file = join(folder, 'texts.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Everything on disk. */
function onDisk(): string {
  return [file, `${file}-wal`].map((each) => (existsSync(each) ? readFileSync(each, 'latin1') : '')).join('');
}

/** Incompressible text. */
function noise(length: number, seed = 1): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(0x21 + (state % 90));
  }).join('');
}

test('stores payloads byte for byte, also across a restart', async () => {
  const long = `${'é🚀\n"'.repeat(100_000)}end`;
  {
    await using open = openTexts(file);
    open.keep(1, { asked: said('{"a":1.10}'), sent: said('short'), given: said('') });
    open.keep(2, saidOf(long));
  }
  await using open = openTexts(file);
  expect(await open.find(1)).toEqual({
    asked: { text: '{"a":1.10}', next: undefined },
    sent: { text: 'short', next: undefined },
    given: { text: '', next: undefined },
  });
  // Parts of an odd length would cut every second character in two.
  expect((await open.sent(2, 65_537)) === long).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('holds small payloads back, and writes them when the store closes', async () => {
  const masker = new Masker([secret]);
  {
    await using open = openTexts(file, { masker });
    open.keep(1, saidOf(`first ${secret}`));
    masker.setSecrets(['of-the-second']);
    open.keep(2, saidOf('second of-the-second'));
    expect(existsSync(file)).toBe(false);
  }
  expect(onDisk()).not.toMatch(/correct-horse|of-the-second/);
  await using open = openTexts(file);
  expect([await open.sent(1), await open.sent(2)]).toEqual(['first ***', 'second ***']);
});

test.runIf(allCases)('writes waiting payloads in order when it closes, and stops when its time is up', async () => {
  await using open = openTexts(file);
  const text = `{"note":"${'as it was said '.repeat(66)}"}`;
  const most = 30_000;
  for (let id = 1; id <= most; id++) open.keep(id, saidOf(text));
  await open.texts.close();
  using database = new DatabaseSync(file);
  const { kept, last } = database.prepare('SELECT count(*) AS kept, max(call) AS last FROM texts').get() ?? {};
  expect([kept, Number(kept) > most / 10]).toEqual([last, true]);
});

test('stores a result that arrived as bytes unchanged, and leaves its chunks usable', async () => {
  await using open = openTexts(file);
  const chunks = [Buffer.from('{"text":"h'), Buffer.from('é".slice'), Buffer.from('}')];
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  open.keep(1, { asked: said('{}'), sent: { text: chunks, bytes }, given: 'same' });
  expect(await open.sent(1)).toBe('{"text":"hé".slice}');
  expect(Buffer.concat(chunks).toString()).toBe('{"text":"hé".slice}');
});

test('returns the reason why a side has no payload', async () => {
  await using open = openTexts(file);
  open.keep(1, { asked: said('{}'), sent: 'kept-answer', given: said('a summary') });
  open.keep(2, { asked: said('{}'), sent: 'nothing', given: said('an error') });
  open.keep(3, saidOf('x'.repeat(8 * 1024 * 1024 + 1)));
  expect([await open.sent(1), await open.sent(2), await open.sent(3)]).toEqual(['kept-answer', 'nothing', 'too-long']);
  expect([(await open.find(3)).given, (await open.find(4)).sent]).toEqual([{ none: 'same' }, { none: 'gone' }]);
});

test('masks secrets known at the call, and later ones when it reads', async () => {
  const masker = new Masker([secret]);
  await using open = openTexts(file, { masker });
  const held = open.texts.stage(saidOf(`first ${secret}, then another-one-of-these`), 1);
  // The config changes before the record is written.
  masker.setSecrets(['another-one-of-these']);
  if (typeof held === 'function') held(1);
  expect(await open.sent(1)).toBe('first ***, then ***');
  expect(onDisk()).not.toContain(secret);
});

test('masks a secret that crosses the boundary of two parts of a long payload', async () => {
  const masker = new Masker();
  await using open = openTexts(file, { masker });
  open.keep(1, saidOf(`${'x'.repeat(995)}${secret}${'y'.repeat(995)}`));
  await open.find(1);
  masker.setSecrets([secret]);
  expect(await open.sent(1, 1000)).toBe(`${'x'.repeat(995)}***${'y'.repeat(995)}`);
});

test('reports "busy" when too much waits to be written, and stores again once there is room', async () => {
  await using open = openTexts(file);
  const big = saidOf('x'.repeat(8 * 1024 * 1024));
  const held = Array.from({ length: 5 }, () => open.texts.stage(big, 1));
  expect(held.map((each) => (typeof each === 'function' ? 'held' : each))).toEqual([
    ...['held', 'held', 'held'],
    ...['busy', 'busy'],
  ]);
  expect(await open.find(4, 'busy')).toMatchObject({ asked: { none: 'busy' }, sent: { none: 'busy' } });
  // The record of one is dropped, the others are written.
  held.forEach((each, at) => typeof each === 'function' && each(at === 0 ? undefined : at));
  await open.find(2);
  expect(typeof open.texts.stage(big, 5)).toBe('function');
});

test('deletes all payloads and reports "off" when storing is switched off', async () => {
  let keep = true;
  await using open = openTexts(file, { settings: () => ({ ...textLimits, keep }) });
  open.keep(1, saidOf('before'));
  expect(await open.sent(1)).toBe('before');
  keep = false;
  await open.texts.pruneNow();
  expect([open.texts.stage(saidOf('x'), 2), await open.sent(1), existsSync(file)]).toEqual(['off', 'off', false]);
  keep = true;
  open.keep(3, saidOf('again'));
  expect([await open.sent(1), await open.sent(3)]).toEqual(['gone', 'again']);
});

test('deletes all payloads at exit when deleteAtExit is set', async () => {
  {
    await using open = openTexts(file, { settings: () => ({ ...textLimits, deleteAtExit: true }) });
    open.keep(1, saidOf('x'));
    expect(await open.sent(1)).toBe('x');
  }
  expect(existsSync(file)).toBe(false);
});

test('deletes the oldest payloads to stay within maxBytes', async () => {
  const maxBytes = 1_000_000;
  await using open = openTexts(file, { settings: () => ({ ...textLimits, maxBytes }) });
  for (let id = 1; id <= 60; id++) {
    open.keep(id, saidOf(noise(50_000, id)));
    await open.find(id);
  }
  expect([await open.sent(1), await open.sent(60)]).toEqual(['gone', noise(50_000, 60)]);
  expect(statSync(file).size).toBeLessThan(maxBytes * 1.1);
});

test('deletes payloads that are older than keepDays or beyond maxRows', async () => {
  const day = 86_400_000;
  let limits = { ...textLimits, keepDays: 1, maxRows: 2 };
  await using open = openTexts(file, { settings: () => limits });
  const now = Date.now();
  const [old, recent] = [now - 2 * day, now - 1000];
  for (const id of [old, recent]) open.keep(id, saidOf('said'));
  expect([await open.sent(old), await open.sent(recent)]).toEqual(['gone', 'said']);
  await open.texts.pruneNow();
  limits = { ...limits, keepDays: 100 };
  expect(await open.sent(old)).toBe('gone');
  for (const id of [now + 1, now + 2]) open.keep(id, saidOf('said'));
  expect([await open.sent(recent), await open.sent(now + 1)]).toEqual(['gone', 'said']);
});

test('does not return the payload of an earlier call with the same id', async () => {
  await using open = openTexts(file);
  open.keep(1, saidOf('of the first record'));
  const found = await open.texts.find({ id: 1, startedAt: 5, unkept: undefined, sides: ['sent'], from: 0, length: 9 });
  expect(found.sent).toEqual({ none: 'gone' });
});

test('sets a broken file aside, and reports "failed" when the file cannot be written', async () => {
  writeFileSync(file, 'no database at all, but long enough to be looked at'.repeat(100));
  {
    await using open = openTexts(file);
    open.keep(1, saidOf('x'));
    expect([await open.sent(1), existsSync(`${file}.corrupt`)]).toEqual(['x', true]);
  }
  const unwritable = join(folder, 'a-folder');
  mkdirSync(unwritable);
  await using open = openTexts(unwritable);
  open.keep(1, saidOf('x'));
  await open.texts.pruneNow();
  expect(await open.sent(1)).toBe('failed');
});

test('ends the thread when it is idle, and starts it again for the next request', async () => {
  await using open = openTexts(file, { idleMs: 1 });
  for (let id = 1; id <= 3; id++) {
    open.keep(id, saidOf(`call ${id}`));
    expect(await open.sent(id)).toBe(`call ${id}`);
    // Sometimes the thread is ending when the next request arrives.
    await new Promise((resolve) => setTimeout(resolve, id * 2));
  }
  expect(await open.sent(1)).toBe('call 1');
});

test('leaves every payload it reported as written whole when the process is killed while writing', async () => {
  let told = 0;
  for (let round = 0; round < 3; round++) {
    rmSync(file, { force: true });
    const script = new URL('texts-writer.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    for (let seen = 0; seen < 5 + round; seen++) {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      told = Number(chunk.toString().trim().split('\n').at(-1));
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    await using open = openTexts(file);
    const read = await Promise.all(Array.from({ length: told + 100 }, (_one, at) => open.sent(at + 1)));
    read.forEach((text, at) => {
      const whole = `call ${at + 1} ${'x'.repeat(((at + 1) * 37) % 5000)}`;
      expect(at < told ? [whole] : [whole, 'gone']).toContain(text);
    });
    await open.texts.close();
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
  }
});

/** Ids of the matches, the newest first. */
async function ids(open: OpenTexts, text: string, limit = 10): Promise<readonly number[]> {
  return (await open.texts.search(text, limit)).ids;
}

test('finds payloads by word prefixes, also behind escapes and after a restart', async () => {
  {
    await using open = openTexts(file);
    open.keep(1, {
      asked: said('{"repo":"Héllo/world"}'),
      sent: said('{"text":"one\\nbeta list_issues"}'),
      given: 'same',
    });
    open.keep(2, saidOf(JSON.stringify({ text: JSON.stringify({ a: 'x\nbeta', path: 'C:\\beta' }) })));
    open.keep(3, saidOf('nothing of it'));
    // Not yet written: waiting payloads are searched as well.
    expect(await ids(open, 'bet')).toEqual([2, 1]);
  }
  await using open = openTexts(file);
  expect(await ids(open, 'beta')).toEqual([2, 1]);
  expect(await open.texts.search('beta', 1)).toEqual({ ids: [2], more: true });
  expect(await ids(open, 'hello WORLD')).toEqual([1]);
  expect(await ids(open, 'list_issues')).toEqual([1]);
  expect([await ids(open, 'ello'), await ids(open, '"*" OR ('), await ids(open, '')]).toEqual([[], [], []]);
});

test('finds no secret, and keeps none in the index', async () => {
  await using open = openTexts(file, { masker: new Masker([secret]) });
  open.keep(1, saidOf(`the word is ${secret}`));
  expect([await ids(open, 'word'), await ids(open, 'horse'), await ids(open, secret)]).toEqual([[1], [], []]);
  expect(onDisk()).not.toMatch(/horse/);
});

test('does not find a deleted payload, and leaves none of its words on disk', async () => {
  const day = 86_400_000;
  const now = Date.now();
  let limits = { ...textLimits, keepDays: 10 };
  await using open = openTexts(file, { settings: () => limits });
  for (const [id, word] of [
    [now - 5 * day, 'xylophone'],
    [now - 1000, 'marimba'],
  ] as const) {
    open.keep(id, saidOf(word));
  }
  expect(await ids(open, 'xylophone')).toHaveLength(1);
  limits = { ...limits, keepDays: 1 };
  expect(await ids(open, 'xylophone')).toEqual([]);
  await open.texts.pruneNow();
  await open.texts.close();
  expect(onDisk()).not.toContain('xylophone');
  await using again = openTexts(file, { settings: () => limits });
  expect(await ids(again, 'marimba')).toHaveLength(1);
});

test.runIf(allCases)(
  'counts the index towards maxBytes, and indexes payloads stored before there was an index',
  async () => {
    const maxBytes = 2_000_000;
    let limits = textLimits;
    await using open = openTexts(file, { settings: () => limits });
    const words = (id: number): string =>
      Array.from({ length: 300 }, (_one, at) => `w${(id * 7919 + at * 104_729) % 999_983}`).join(' ');
    for (let id = 1; id <= 3000; id++) open.keep(id, saidOf(`number${id} ${words(id)}`));
    expect(await ids(open, 'number3000')).toEqual([3000]);
    limits = { ...limits, maxBytes };
    for (let id = 3001; id <= 3050; id++) open.keep(id, saidOf(`number${id} ${words(id)}`));
    await open.texts.pruneNow();
    expect([await ids(open, 'number3050'), await ids(open, 'number1')]).toEqual([[3050], []]);
    await open.texts.close();
    expect(statSync(file).size).toBeLessThan(maxBytes * 1.1);
    using database = new DatabaseSync(file);
    for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'").all()) {
      database.exec(`DROP TABLE ${String(name)}`);
    }
    await using again = openTexts(file);
    expect(await ids(again, 'number3050')).toEqual([]);
    await again.texts.pruneNow();
    expect(await ids(again, 'number3050')).toEqual([3050]);
  },
);

test('reports "crashed" only for payloads that a killed core had not written', async () => {
  const script = new URL('texts-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, file, 'now'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const startedAt = Number(chunk.toString().trim().split('\n').at(-1));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const range = { unkept: undefined, sides: ['sent'], from: 0, length: 10 } as const;
  let limits = textLimits;
  {
    await using open = openTexts(file, { settings: () => limits });
    expect(await open.texts.find({ ...range, id: -1, startedAt })).toEqual({ sent: { none: 'crashed' } });
    // From before that core ran, and from this one.
    expect(await open.texts.find({ ...range, id: -1, startedAt: startedAt - 3_600_000 })).toEqual({
      sent: { none: 'gone' },
    });
    expect(await open.texts.find({ ...range, id: -1, startedAt: Date.now() + 1000 })).toEqual({
      sent: { none: 'gone' },
    });
    open.keep(1, saidOf('x'));
  }
  // Another core ended normally: still only what the killed one had not written.
  await using open = openTexts(file, { settings: () => limits });
  expect(await open.texts.find({ ...range, id: -1, startedAt })).toEqual({ sent: { none: 'crashed' } });
  limits = { ...limits, keep: false };
  await open.texts.pruneNow();
  limits = { ...limits, keep: true };
  expect(await open.texts.find({ ...range, id: -1, startedAt })).toEqual({ sent: { none: 'gone' } });
});
