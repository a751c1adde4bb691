/** The contract of every spill store, run against each implementation. */
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { AppError } from '../../../src-main/core/base/errors.ts';
import type { ResultSettings } from '../../../src-main/core/config/app-config.ts';
import { type Principal, localUser } from '../../../src-main/core/security/principal.ts';
import type { SpillStore } from '../../../src-main/core/spills/spill-store.ts';
import { newSpillId, type Spill, type SpillOrigin } from '../../../src-main/core/spills/spill.ts';
import { callerOf } from '../../support/caller-of.ts';
import { textResult } from './spill-fixture.ts';

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: SpillStore;
  /** Settings, read by the store on demand. */
  settings: ResultSettings;
  /** ms since the epoch. */
  clock: number;
}

export const ann = callerOf('ann-app');
export const bob = callerOf('bob-app');

export function originOf(reader: Principal, more: Partial<SpillOrigin> = {}): SpillOrigin {
  return { owner: reader.owner, sessionId: 's1', app: 'some-app', server: 'files', tool: 'read_file', ...more };
}

export async function keepText(store: SpillStore, text: string, origin = originOf(ann)): Promise<Spill> {
  return (await store.spill(textResult(text), origin)).parts[0].spill;
}

/** Returns the whole text as the principal reads it. */
export async function textOf(store: SpillStore, ref: string, reader: Principal = ann): Promise<string> {
  await using opened = await store.open(ref, reader);
  return (await buffer(opened.handle.createReadStream({ autoClose: false }))).toString('utf8');
}

export function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error as AppError).code,
  );
}

const day = 86_400_000;

/** @param open Returns a started, empty store. */
export function answerStoreContract(open: () => Promise<StoreUnderTest>): void {
  test('finds a spill by id and URI, with all its fields', async () => {
    await using opened = await open();
    const { store } = opened;
    const kept = await store.spill(
      textResult('one\ntwo\n'),
      originOf(ann, { tool: 'half \ud800 a pair', profiles: '["calm"]' }),
    );
    const { spill } = kept.parts[0];
    expect(await store.find(spill.id, ann)).toEqual({ ...spill, tool: 'half \ufffd a pair' });
    expect((await store.find(spill.id, ann))?.profiles).toBe('["calm"]');
    expect(spill).toMatchObject({
      answerId: spill.id,
      owner: ann.owner,
      kind: 'text',
      mimeType: 'text/plain',
      bytes: 8,
      lines: 3,
      tokens: 2,
      createdAt: opened.clock,
      pinned: false,
      reads: 0,
      lastReadAt: undefined,
      sentBytes: kept.resultBytes,
    });
    expect([await textOf(store, spill.id), await textOf(store, `tooltray://spill/${spill.id}`)]).toEqual([
      'one\ntwo\n',
      'one\ntwo\n',
    ]);
    expect(store.recall(spill.id)).toMatchObject({ id: spill.id, server: 'files' });
    expect(await store.fileOf(spill.id, ann)).toMatchObject({ mimeType: 'text/plain' });
  });

  test('stores several parts of one result together, and reads each of them', async () => {
    await using opened = await open();
    const picture = { type: 'image', data: Buffer.from('not a picture').toString('base64'), mimeType: 'image/png' };
    const { parts } = await opened.store.spill(
      { content: [{ type: 'text', text: 'a'.repeat(5000) }, picture], structuredContent: { rows: [{ a: 1 }] } },
      originOf(ann),
    );
    expect(parts.map(({ spill }) => [spill.kind, spill.answerId === parts[0].spill.id])).toEqual([
      ['json', true],
      ['text', true],
      ['image', true],
    ]);
    expect(await textOf(opened.store, parts[2]?.spill.id ?? '')).toBe('not a picture');
  });

  test('treats a spill of another owner as unknown when reading, listing, pinning and deleting', async () => {
    await using opened = await open();
    const { store } = opened;
    const { id } = await keepText(store, 'of ann');
    const unknown = newSpillId();
    for (const ref of [id, `tooltray://spill/${id}`, unknown, `${id.slice(0, -1)}2`]) {
      expect(await codeOf(store.open(ref, bob))).toBe('not_found');
    }
    const messages = await Promise.all(
      [id, unknown].map((ref) => store.open(ref, bob).catch((error: AppError) => error.message.replace(ref, '…'))),
    );
    expect(messages[0]).toBe(messages[1]);
    expect([await store.find(id, bob), await store.fileOf(id, bob), await store.list({}, bob)]).toEqual([
      undefined,
      undefined,
      [],
    ]);
    expect([await store.pin(id, true, bob), await store.remove(id, bob)]).toEqual([false, false]);
    expect(await textOf(store, id, localUser)).toBe('of ann');
    expect((await store.list()).map((spill) => [spill.id, spill.pinned])).toEqual([[id, false]]);
  });

  test('lists the newest first, by page, server, app and session', async () => {
    await using opened = await open();
    const { store } = opened;
    const ids: string[] = [];
    for (const [at, more] of [{}, { server: 'git' }, { app: 'zed' }, { sessionId: 's2' }].entries()) {
      // The order is the order of arrival, regardless of the clock.
      opened.clock -= at * 1000;
      ids.push((await keepText(store, `text ${at}`, originOf(ann, more))).id);
    }
    const listed = async (filter: object): Promise<number[]> =>
      (await store.list(filter, ann)).map(({ id }) => ids.indexOf(id));
    expect(await listed({})).toEqual([3, 2, 1, 0]);
    expect(await listed({ limit: 2 })).toEqual([3, 2]);
    expect(await listed({ limit: 2, beforeId: ids[2] })).toEqual([1, 0]);
    expect([await listed({ server: 'git' }), await listed({ app: 'zed' }), await listed({ sessionId: 's2' })]).toEqual([
      [1],
      [2],
      [3],
    ]);
    expect(await listed({ beforeId: newSpillId() })).toEqual([]);
  });

  test('counts reads, and returns the time of the last one', async () => {
    await using opened = await open();
    const spill = await keepText(opened.store, 'read');
    opened.clock += 5000;
    opened.store.noteRead(spill);
    opened.store.noteRead(spill);
    const [listed] = await opened.store.list({}, ann);
    expect(listed).toMatchObject({ reads: 2, lastReadAt: opened.clock });
  });

  test('deletes a spill for everybody, once', async () => {
    await using opened = await open();
    const { store } = opened;
    const [first, second] = [await keepText(store, 'first'), await keepText(store, 'second!')];
    expect(await store.usage()).toMatchObject({ bytes: 12, count: 2 });
    expect([await store.remove(first.id), await store.remove(first.id)]).toEqual([true, false]);
    expect(await codeOf(store.open(first.id, ann))).toBe('not_found');
    expect((await store.list()).map(({ id }) => id)).toEqual([second.id]);
    expect(await store.usage()).toMatchObject({ bytes: 7, count: 1 });
  });

  test('deletes expired spills, then the oldest beyond its limits, and never pinned ones', async () => {
    await using opened = await open();
    const { store } = opened;
    const [pinned, old] = [await keepText(store, 'pinned'), await keepText(store, 'old')];
    expect(await store.pin(pinned.id, true, ann)).toBe(true);
    opened.clock += 8 * day;
    const young = [await keepText(store, '1111'), await keepText(store, '22'), await keepText(store, '3')];
    const left = async (): Promise<string[]> => (await store.list()).map(({ id }) => id);
    await store.prune();
    expect(await left()).toEqual([young[2]?.id, young[1]?.id, young[0]?.id, pinned.id]);
    expect(await codeOf(store.open(old.id, ann))).toBe('not_found');
    opened.settings = { ...opened.settings, maxCount: 3 };
    expect(await store.prune()).toEqual({ removed: 1, bytes: 4 });
    opened.settings = { ...opened.settings, maxBytes: 7 };
    expect(await store.prune()).toEqual({ removed: 1, bytes: 2 });
    expect(await left()).toEqual([young[2]?.id, pinned.id]);
    expect(await store.prune()).toEqual({ removed: 0, bytes: 0 });
  });

  test('notifies of every change, and increases the revision', async () => {
    await using opened = await open();
    const { store } = opened;
    let changes = 0;
    store.changed.on(() => changes++);
    const { id } = await keepText(store, 'a');
    const afterKeep = store.revision;
    await store.pin(id, true);
    await store.remove(id);
    expect([changes > 2, afterKeep > 0, store.revision > afterKeep]).toEqual([true, true, true]);
  });

  test('rejects a result larger than maxBytes, and every result after closing', async () => {
    await using opened = await open();
    opened.settings = { ...opened.settings, maxBytes: 10 };
    expect(await codeOf(opened.store.spill(textResult('more than ten'), originOf(ann)))).toBe('spill_failed');
    expect(await opened.store.list()).toEqual([]);
    await opened.store.close();
    expect(await codeOf(opened.store.spill(textResult('short'), originOf(ann)))).toBe('spill_failed');
  });
}
