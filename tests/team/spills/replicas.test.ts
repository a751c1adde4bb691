/** Reads a spill of one replica on another one, by the callers that may. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ResultShaper } from '../../../src-main/core/calls/shape-result.ts';
import { SpillAccess, SpillReader } from '../../../src-main/core/spills/spill-reader.ts';
import { S3BlobStore } from '../../../src-main/team/spills/s3-blob-store.ts';
import { codeOf, keepText, originOf, textOf } from '../../core/spills/spill-store-contract.ts';
import { raw } from '../../core/spills/spill-fixture.ts';
import { teamObjects } from '../../support/team-objects.ts';
import { until } from '../../support/until.ts';
import { filesOf, memberOf, openReplica, openTeam, type Replica } from './team-fixture.ts';
import { teamDatabase } from '../../support/team-database.ts';

const ann = memberOf('ann');
const { signal } = new AbortController();

function readerOf({ store }: Replica): SpillAccess {
  const reader = new SpillReader();
  onTestFinished(() => reader.close());
  return new SpillAccess(store, reader);
}

/** Counts requests to the object store. `together`: requests wait until this many are in flight. */
async function countedObjects(together = 0): Promise<{
  objects: S3BlobStore;
  asked: string[];
  sizes: number[];
  most: () => number;
}> {
  const asked: string[] = [];
  const sizes: number[] = [];
  let [under, most] = [0, 0];
  const ask: typeof fetch = async (input, init) => {
    asked.push(init?.method ?? 'GET');
    sizes.push(init?.body instanceof Uint8Array ? init.body.length : 0);
    most = Math.max(most, ++under);
    await until(() => most >= together);
    try {
      return await fetch(input, init);
    } finally {
      under--;
    }
  };
  return {
    objects: new S3BlobStore(await teamObjects(), { fetch: ask, requestMs: 60_000 }),
    asked,
    sizes,
    most: () => most,
  };
}

describe('two replicas', () => {
  async function two(): Promise<readonly [Replica, Replica, string]> {
    const team = await openTeam();
    return [await team.open(), await team.open(), team.url];
  }

  test('reads lines, matches, a query and a table of a spill on another replica', async () => {
    const [a, b] = await two();
    const rows = Array.from({ length: 3000 }, (_, at) => ({
      id: at,
      name: `name ${at}`,
      tag: at % 7 === 0 ? 'x' : 'y',
    }));
    const kept = await a.store.spill({ content: [{ type: 'text', text: JSON.stringify({ rows }) }] }, originOf(ann));
    const { id } = kept.parts[0].spill;
    const files = readerOf(b).forCaller(ann);
    const texts = [];
    for (const question of [
      { op: 'slice', fromLine: 2, toLine: 4 },
      { op: 'grep', pattern: 'name 2999', context: 0 },
      { op: 'query', query: '$.rows[1500].name' },
      { op: 'table', path: '$.rows', columns: ['id', 'tag'], fromRow: 8, rows: 1 },
    ] as const)
      texts.push((await files.query(id, question, signal)).text);
    const here = readerOf(a).forCaller(ann);
    expect(texts[0]).toBe((await here.query(id, { op: 'slice', fromLine: 2, toLine: 4 }, signal)).text);
    expect(texts.map((text) => /name 2999|name 1500|7.*x|"id":0|rows/.test(text))).toEqual([true, true, true, true]);
    const found = await files.select({ ref: id }, 'SELECT name FROM rows WHERE id = 2999', signal);
    expect(found.rows).toEqual([['name 2999']]);
    expect(await files.readText(id)).toBe(await here.readText(id));
    const [listed] = await a.store.list({}, ann);
    await expect.poll(async () => (await b.store.list({}, ann))[0]?.reads).toBeGreaterThanOrEqual(6);
    expect(listed?.id).toBe(id);
  });

  test('reports not_found to other users and apps on every replica', async () => {
    const [a, b] = await two();
    const { id } = await keepText(a.store, 'of ann', originOf(ann));
    const strangers = [memberOf('bob'), memberOf('ann', 'other')];
    for (const stranger of strangers) {
      for (const { store } of [a, b]) expect(await codeOf(store.open(id, stranger))).toBe('not_found');
      expect(await b.store.list({}, stranger)).toEqual([]);
      expect([await b.store.remove(id, stranger), await b.store.pin(id, true, stranger)]).toEqual([false, false]);
    }
    // No unauthorized caller made this replica fetch it.
    expect(filesOf(b)).toEqual([]);
    const themselves = { ...ann, app: undefined, owner: 'ann/' };
    expect([await textOf(b.store, id, themselves), (await b.store.list({}, themselves)).length]).toEqual(['of ann', 1]);
    expect(await codeOf(b.store.open(id, { ...ann, owner: 'an' }))).toBe('not_found');
  });

  test('rejects modified bytes and keeps none of them', async () => {
    const [a, b] = await two();
    const { id } = await keepText(a.store, 'as it was', originOf(ann));
    await damage(a, id);
    const failed = await b.store.open(id, ann).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'spill_failed', message: expect.stringContaining('corrupted') as string });
    expect(filesOf(b)).toEqual([]);
  });

  async function damage(replica: Replica, id: string): Promise<void> {
    const team = replica.objects as S3BlobStore;
    const wrong = Buffer.from('as it is.');
    const pieces = async function* (): AsyncIterable<Uint8Array> {
      await Promise.resolve();
      yield wrong;
    };
    await team.put({ id }, pieces, wrong.length, signal);
  }
});

test('names the id to the model, but no path of a replica', async () => {
  const { store, folder } = await (await openTeam()).open();
  const shaper = new ResultShaper({
    keep: (...answer) => store.spill(...answer),
    measurer: undefined as never,
    settings: () => ({ threshold: 100 }) as never,
    inlineBytes: () => 100,
    readHint: () => (id) => [`Read on: read_result {"resultFile":"${id}"}`],
    log: { warn: () => undefined } as never,
  });
  const context = { principal: ann, sessionId: 's1', app: 'app' } as never;
  const told = await shaper.spill(
    { content: [{ type: 'text', text: 'long '.repeat(100) }] },
    { server: 'files', tool: 'read' },
    context,
  );
  const [spill] = await store.list({}, ann);
  const said = JSON.stringify(told);
  expect([said.includes(spill?.id ?? '?'), said.includes(folder), said.includes('/tmp')]).toEqual([true, false, false]);
});

test('downloads a spill once for many concurrent readers', async () => {
  const url = await teamDatabase();
  const { objects, asked } = await countedObjects();
  const [a, b] = [await openReplica(url, { objects }), await openReplica(url, { objects })];
  const { id } = await keepText(a.store, 'wanted by many', originOf(ann));
  asked.length = 0;
  const texts = await Promise.all(Array.from({ length: 8 }, () => textOf(b.store, id, ann)));
  expect([new Set(texts).size, texts[0], asked]).toEqual([1, 'wanted by many', ['GET']]);
  expect([await textOf(b.store, id, ann), asked.length]).toEqual(['wanted by many', 1]);
  // On the replica that stored it, it was never downloaded.
  expect([await textOf(a.store, id, ann), asked.length]).toEqual(['wanted by many', 1]);
});

test('uploads and downloads 30 MB in parts, one at a time, without holding the whole in memory', async () => {
  const url = await teamDatabase();
  const { objects, sizes, asked, most } = await countedObjects();
  const [a, b] = [await openReplica(url, { objects }), await openReplica(url, { objects })];
  const text = `${'a line of the answer\n'.repeat(1_500_000)}the end`;
  const kept = await a.store.spill(raw(JSON.stringify({ content: [{ type: 'text', text }] })), originOf(ann));
  const { id, bytes } = kept.parts[0].spill;
  expect([bytes, Math.max(...sizes) <= 8 * 1024 * 1024, most()]).toEqual([text.length, true, 1]);
  asked.length = 0;
  const { text: tail } = await readerOf(b).forCaller(ann).query(id, { op: 'tail', lines: 1 }, signal);
  expect([tail.includes('the end'), asked]).toEqual([true, ['GET', 'GET', 'GET', 'GET']]);
  await b.store.remove(id, ann);
  expect([await codeOf(a.store.open(id, ann)), filesOf(b)]).toEqual(['not_found', []]);
});

test('limits concurrent uploads of a burst, and does not delay a short one', async () => {
  const { objects, most } = await countedObjects(5);
  const bytes = Buffer.alloc(1024 * 1024, 'x');
  const put = (id: string, piece: Uint8Array): Promise<void> => {
    const pieces = async function* (): AsyncIterable<Uint8Array> {
      await Promise.resolve();
      yield piece;
    };
    return objects.put({ id }, pieces, piece.length, signal);
  };
  await Promise.all([
    ...Array.from({ length: 8 }, (_, at) => put(`long${at}`, bytes)),
    put('short', bytes.subarray(9)),
  ]);
  expect(most()).toBe(5);
});

test('downloads a file again that was modified on a replica’s disk, and every file after a restart', async () => {
  const team = await openTeam();
  const a = await team.open();
  const { id } = await keepText(a.store, 'as it was', originOf(ann));
  const [name = ''] = filesOf(a);
  writeFileSync(join(a.folder, name), 'as it is.');
  expect(await textOf(a.store, id, ann)).toBe('as it was');
  await a.store.close();
  writeFileSync(join(a.folder, name), 'as it is.');
  const again = await team.open({ folder: a.folder });
  expect([await textOf(again.store, id, ann), readFileSync(join(a.folder, name), 'utf8')]).toEqual([
    'as it was',
    'as it was',
  ]);
});

test('keeps the cache within its quota, and evicts no file that is being read', async () => {
  const team = await openTeam();
  const [a, b] = [await team.open(), await team.open({ cache: { maxTotalBytes: 25, maxIdleMs: 1000 } })];
  const ids: string[] = [];
  for (const text of ['first 1234', 'second 123', 'third 1234'])
    ids.push((await keepText(a.store, text, originOf(ann))).id);
  const [first = '', second = '', third = ''] = ids;
  const held = async (): Promise<string[]> => ids.filter((id) => filesOf(b).some((name) => name.includes(id)));
  {
    await using reading = await b.store.open(first, ann);
    for (const id of [second, third]) await textOf(b.store, id, ann);
    expect(await held()).toEqual([first, third]);
    expect((await reading.handle.readFile()).toString()).toBe('first 1234');
  }
  await textOf(b.store, second, ann);
  expect(await held()).toEqual([second, third]);
  b.clock += 5000;
  await textOf(b.store, first, ann);
  expect(await held()).toEqual([first]);
});
