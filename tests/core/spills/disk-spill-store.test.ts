/** Results stored on disk and found again; expired or excess ones are deleted, and nothing else. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { AppError } from '../../../src-main/core/base/errors.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { localUser } from '../../../src-main/core/security/principal.ts';
import { openSpillDatabase, SpillIndex } from '../../../src-main/core/spills/spill-index.ts';
import { newSpillId, spillFileName } from '../../../src-main/core/spills/spill.ts';
import { callerOf } from '../../support/caller-of.ts';
import { type OpenStore, openStore, origin, raw, reader, textResult } from './spill-fixture.ts';

const day = 86_400_000;
const onWindows = process.platform === 'win32';

async function keepText({ store }: OpenStore, text: string): Promise<string> {
  return (await store.spill(textResult(text), origin)).parts[0].spill.id;
}

/** Adds copies of a spill directly to the index: storing them one by one would take half a minute. */
async function addCopies({ store, folder }: OpenStore, id: string, count: number): Promise<void> {
  const template = store.find(id);
  if (template === undefined) throw new Error('No template.');
  const copies = Array.from({ length: count }, () => {
    const spill = { ...template, id: newSpillId() };
    const name = spillFileName({ ...spill, extension: 'txt' });
    writeFileSync(join(folder, name), 'template');
    return { spill: { ...spill, answerId: spill.id }, name };
  });
  const index = new SpillIndex(openSpillDatabase(join(folder, 'index.db')), folder);
  index.insert(copies);
  index.close();
}

/** Files of spills in the folder, without the index. */
function files({ folder }: OpenStore): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('index.db'));
}

test('stores a whole result in a private file, and describes it', async () => {
  await using open = await openStore();
  const data = { items: [1, 2, 3] };
  const kept = await open.store.spill(
    {
      content: [{ type: 'text', text: JSON.stringify(data) }],
      structuredContent: data,
      _meta: { a: 1 },
      isError: true,
    },
    origin,
  );
  const [{ spill, summary }] = kept.parts;
  expect(readFileSync(spill.file, 'utf8')).toBe(JSON.stringify(data, null, 2));
  expect(kept).toEqual({
    parts: [{ spill, summary }],
    inline: [],
    isError: true,
    rest: { _meta: { a: 1 } },
    resultBytes: 17,
    resultTokens: 5,
    tokensEstimated: false,
  });
  expect(spill).toEqual({
    ...origin,
    sentBytes: 17,
    sentTokens: 5,
    sentEstimated: false,
    id: expect.stringMatching(/^[a-z2-9]{20}$/) as string,
    answerId: spill.id,
    file: join(open.folder, `files-read_file-${spill.id}.json`),
    kind: 'json',
    mimeType: 'application/json',
    bytes: 40,
    tokens: 5,
    tokensEstimated: false,
    lines: 7,
    createdAt: open.clock,
    pinned: false,
    reads: 0,
    lastReadAt: undefined,
  });
  if (!onWindows)
    expect([statSync(spill.file).mode & 0o777, statSync(open.folder).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('creates no id that the masker takes for a secret', () => {
  const masker = new Masker();
  // One in two thousand would without the check.
  for (let made = 0; made < 30_000; made++) {
    const sentence = `The file '${newSpillId()}': There is none.`;
    expect(masker.maskText(sentence)).toBe(sentence);
  }
});

test('does not let the name of a server or tool change the path', async () => {
  await using open = await openStore();
  const odd = { ...origin, server: '../../etc', tool: 'con\0/\\:*"<>|\u202e..' };
  const { parts } = await open.store.spill(textResult('x'), odd);
  expect(files(open)).toEqual([`etc-con-${parts[0].spill.id}.txt`]);
  expect(open.store.list()[0]).toMatchObject({ id: parts[0].spill.id, server: '../../etc' });
});

test('finds a spill by id, URI and path, also after a restart', async () => {
  await using open = await openStore();
  const { parts } = await open.store.spill(textResult('hello'), origin);
  const [{ spill }] = parts;
  const refs = [spill.id, `tooltray://spill/${spill.id}`, spill.file, spill.file.slice(open.folder.length + 1)];
  expect(refs.map((ref) => open.store.find(ref))).toEqual(refs.map(() => spill));
  await open.store.close();
  await using again = await openStore({}, { home: open.home });
  expect(refs.map((ref) => again.store.find(ref))).toEqual(refs.map(() => spill));
  await using opened = await again.store.open(spill.id, reader);
  expect([await opened.handle.readFile('utf8'), opened.spill]).toEqual(['hello', spill]);
});

test('links the parts of one result, and lists the newest first', async () => {
  await using open = await openStore();
  const png = Buffer.from('PNG').toString('base64');
  const kept = await open.store.spill(
    {
      content: [
        { type: 'image', data: png, mimeType: 'image/png' },
        ...(textResult('y'.repeat(2000))['content'] as object[]),
      ],
    },
    origin,
  );
  const [image, text] = kept.parts.map(({ spill }) => spill);
  expect([image?.kind, text?.kind, text?.answerId, image?.tokens]).toEqual(['image', 'text', image?.id, 0]);
  expect(kept).toMatchObject({ tokensEstimated: true, resultTokens: 500 });
  expect(open.store.list()).toEqual([text, image]);
});

test('filters and pages lists', async () => {
  await using open = await openStore();
  for (let at = 0; at < 6; at++) {
    await open.store.spill(textResult(`${at}`), { ...origin, server: at % 2 ? 'odd' : 'even', sessionId: `s${at}` });
  }
  const sessions = (filter: object): string[] => open.store.list(filter).map(({ sessionId }) => sessionId);
  expect(sessions({ server: 'odd' })).toEqual(['s5', 's3', 's1']);
  expect(sessions({ sessionId: 's2', app: 'test-app' })).toEqual(['s2']);
  expect(sessions({ limit: 2 })).toEqual(['s5', 's4']);
  expect(sessions({ limit: 2, beforeId: open.store.list()[1]?.id })).toEqual(['s3', 's2']);
});

test('stores reads and pins, and removes spills', async () => {
  await using open = await openStore();
  let changes = 0;
  const id = await keepText(open, 'a');
  open.store.changed.on(() => changes++);
  open.store.noteRead({ id });
  open.store.noteRead({ id });
  expect([open.store.pin(id, true), open.store.pin('unknown', true)]).toEqual([true, false]);
  await open.store.close();
  await using again = await openStore({}, { home: open.home });
  expect(again.store.list()).toMatchObject([{ id, reads: 2, lastReadAt: open.clock, pinned: true }]);
  expect([await again.store.remove(id), await again.store.remove(id)]).toEqual([true, false]);
  expect([again.store.list(), files(again), changes]).toEqual([[], [], 3]);
});

test('deletes expired spills, and keeps pinned ones', async () => {
  await using open = await openStore({ retentionDays: 2 });
  const [old, pinned] = [await keepText(open, 'old'), await keepText(open, 'pinned')];
  open.store.pin(pinned, true);
  open.clock += 1.5 * day;
  const young = await keepText(open, 'young');
  open.clock += day;
  expect(await open.store.prune()).toEqual({ removed: 1, bytes: 3 });
  expect(open.store.list().map(({ id }) => id)).toEqual([young, pinned]);
  expect([open.store.find(old), files(open).length]).toEqual([undefined, 2]);
});

test('does not delete by age a spill that came after a younger one', async () => {
  await using open = await openStore({ retentionDays: 2 });
  open.clock += 30 * day;
  const young = await keepText(open, 'young');
  open.clock -= 30 * day;
  const odd = await keepText(open, 'odd');
  open.clock += 30 * day;
  expect(await open.store.prune()).toEqual({ removed: 0, bytes: 0 });
  expect(open.store.list().map(({ id }) => id)).toEqual([odd, young]);
});

test('deletes expired spills within the hour even if nothing else is stored', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await using open = await openStore();
    const id = await keepText(open, 'old');
    open.clock += 8 * day;
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    await expect.poll(() => files(open)).toEqual([]);
    expect(open.store.find(id)).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test('deletes the oldest spills beyond maxCount or maxBytes, never the newest', async () => {
  await using open = await openStore({ maxCount: 3 });
  for (const text of ['1', '2', '3', '4']) await keepText(open, text.repeat(100));
  expect(open.store.usage()).toMatchObject({ count: 3, bytes: 300, maxCount: 3 });
  open.settings = { ...open.settings, maxBytes: 250 };
  const last = await keepText(open, 'x'.repeat(240));
  expect(open.store.list().map(({ id }) => id)).toEqual([last]);
});

test('stores the next result even if pinned spills fill the quota', async () => {
  await using open = await openStore({ maxCount: 1 });
  const pinned = await keepText(open, 'pinned');
  open.store.pin(pinned, true);
  const [second, third] = [await keepText(open, 'second'), await keepText(open, 'third')];
  expect([pinned, second, third].map((id) => open.store.find(id) !== undefined)).toEqual([true, false, true]);
});

test('rejects a result larger than maxBytes, and keeps other spills', async () => {
  await using open = await openStore({ maxBytes: 1_000_000 });
  const id = await keepText(open, 'small');
  for (const length of [1_000_001, 5_000_000]) {
    const error = await open.store
      .spill(raw(JSON.stringify(textResult('x'.repeat(length)))), origin)
      .catch((e: AppError) => e);
    expect(error).toMatchObject({
      code: 'spill_failed',
      message: 'The result is larger than the total spill limit (1 MB).',
      fix: 'Request less, or raise results.maxBytes in the config.',
    });
  }
  expect([files(open).length, open.store.find(id)?.bytes]).toEqual([1, 5]);
});

test('deletes nothing when the clock is set back, and evicts in order of arrival', async () => {
  await using open = await openStore({ retentionDays: 7, maxCount: 3 });
  open.clock += 3650 * day;
  const future = [await keepText(open, 'a'), await keepText(open, 'b')];
  open.clock -= 3650 * day;
  const now = await keepText(open, 'c');
  expect(open.store.list().map(({ id }) => id)).toEqual([now, ...future.toReversed()]);
  open.clock += 6 * day;
  expect(await open.store.prune()).toEqual({ removed: 0, bytes: 0 });
  // Eviction follows the order of arrival, not the clock.
  const next = await keepText(open, 'd');
  expect(open.store.list().map(({ id }) => id)).toEqual([next, now, future[1]]);
  open.clock += 2 * day;
  expect(await open.store.prune()).toMatchObject({ removed: 1 });
  expect(open.store.list().map(({ id }) => id)).toEqual([next, future[1]]);
});

test('deletes everything that is not pinned at exit with deleteOnExit', async () => {
  await using open = await openStore({ deleteOnExit: true });
  const pinned = await keepText(open, 'pinned');
  await keepText(open, 'other');
  open.store.pin(pinned, true);
  await open.store.close();
  expect(files(open)).toEqual([`files-read_file-${pinned}.txt`]);
});

test('deletes ten thousand spills over the quota without blocking the event loop', { timeout: 120_000 }, async () => {
  await using open = await openStore();
  const id = await keepText(open, 'template');
  await addCopies(open, id, 9_999);
  open.settings = { ...open.settings, maxCount: 100 };
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  const pruned = await open.store.prune();
  clearInterval(ticking);
  expect(pruned.removed).toBe(9900);
  expect([open.store.usage().count, files(open).length]).toEqual([100, 100]);
  expect(turns).toBeGreaterThan(20);
});

test('stores many results at once', async () => {
  await using open = await openStore();
  const texts = Array.from({ length: 20 }, (_, at) => `${at} `.repeat(at % 4 === 0 ? 150_000 : 50));
  const kept = await Promise.all(texts.map((text) => open.store.spill(textResult(text), origin)));
  expect(kept.map(({ parts }) => readFileSync(parts[0].spill.file, 'utf8'))).toEqual(texts);
});

test('rejects results when it is closed', async () => {
  await using open = await openStore();
  await open.store.close();
  await expect(open.store.spill(textResult('late'), origin)).rejects.toMatchObject({ code: 'spill_failed' });
  expect([open.store.list(), open.store.find('x'), open.store.usage().count]).toEqual([[], undefined, 0]);
});

test.skipIf(onWindows)('rejects a file in place of its folder', async () => {
  await using other = await openStore();
  writeFileSync(join(other.home, 'link'), '');
  await using open = await openStore({}, { home: other.home, folder: join(other.home, 'link') });
  await expect(open.store.spill(textResult('x'), origin)).rejects.toMatchObject({ code: 'not_allowed' });
});

describe('the owner of a spill', () => {
  const another = callerOf('another-app');

  test('is the only app that can read it: for others it does not exist, by whatever name', async () => {
    await using open = await openStore();
    const { parts } = await open.store.spill(textResult('x'.repeat(500)), origin);
    const { id, file } = parts[0].spill;
    const [never, nowhere] = [newSpillId(), file.replace(id, newSpillId())];
    const words = (ref: string, of: string): Promise<string> =>
      open.store.open(ref, another).then(
        () => 'opened',
        (error: unknown) => String(error).replaceAll(of, 'IT'),
      );
    expect([await words(id, id), await words(`tooltray://spill/${id}`, id)]).toEqual([
      await words(never, never),
      await words(`tooltray://spill/${never}`, never),
    ]);
    expect(await words(file, file)).toBe(await words(nowhere, nowhere));
    for (const principal of [reader, localUser]) {
      await using opened = await open.store.open(id, principal);
      expect(opened.spill).toMatchObject({ id, owner: reader.owner });
    }
  });
});
