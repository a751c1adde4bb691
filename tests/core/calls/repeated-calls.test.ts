/** Equal calls in a row: counted by session, tool, arguments, and result; not for tools that poll. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';
import { RepeatedCalls } from '../../../src-main/core/calls/repeated-calls.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';

const tool = (name: string, more: JsonObject = {}): CatalogEntry => ({
  id: `s:${name}`,
  server: 's',
  name,
  listedName: `s_${name}`,
  definition: { name, ...more },
});
const say = (text: string, more: JsonObject = {}): JsonObject => ({ content: [{ type: 'text', text }], ...more });
const read = tool('read_file');

/** Counts of consecutive calls, each with a tool, arguments, a result, and a session. */
function counts(
  calls: readonly (readonly [CatalogEntry, JsonObject, JsonObject | RawJson, string?])[],
  polling: readonly string[] = [],
): (number | undefined)[] {
  const repeated = new RepeatedCalls(() => polling);
  return calls.map(([one, args, result, sessionId = 'anna']) =>
    repeated.note(one, args, result, { sessionId, memoryId: undefined }),
  );
}

const thrice = (one: CatalogEntry): [CatalogEntry, JsonObject, JsonObject][] =>
  Array.from({ length: 3 }, () => [one, { path: '/a' }, say('x')]);

test('counts from the third equal call on', () => {
  expect(counts([...thrice(read), [read, { path: '/a' }, say('x')]])).toEqual([undefined, undefined, 3, 4]);
});

test('counts failures that a tool returns, and ignores _meta', () => {
  const failed = (at: number): JsonObject => say('no', { isError: true, _meta: { at } });
  expect(counts([1, 2, 3].map((at) => [read, {}, failed(at)] as const)).at(-1)).toBe(3);
});

test.each<[string, [CatalogEntry, JsonObject, JsonObject | RawJson, string?]]>([
  ['other arguments', [read, { path: '/b' }, say('x')]],
  ['another result', [read, { path: '/a' }, say('y')]],
  ['another tool', [tool('list_files'), { path: '/a' }, say('x')]],
  ['a result held as bytes', [read, { path: '/a' }, new RawJson([Buffer.from('{"content":[]}')])]],
])('begins anew after %s', (_what, other) => {
  const [one, two] = thrice(read);
  if (one === undefined || two === undefined) throw new Error('two calls');
  expect(counts([one, two, other, one, two])).not.toContain(3);
});

test('counts each session by itself', () => {
  const of = (session: string) => [read, { path: '/a' }, say('x'), session] as const;
  expect(counts([of('anna'), of('bert'), of('anna'), of('bert'), of('anna')])).toEqual([
    ...Array.from({ length: 4 }),
    3,
  ]);
});

test.each([
  ['get_status', {}],
  ['waitForJob', {}],
  ['browser_wait_for', {}],
  ['poll', {}],
  ['get', { annotations: { title: 'Check progress' } }],
  ['press_key', { annotations: { idempotentHint: false } }],
  ['build', { execution: { taskSupport: 'optional' } }],
])('does not count %s, which is repeated on purpose', (name, more) => {
  expect(counts(thrice(tool(name, more)))).toEqual([undefined, undefined, undefined]);
});

test.each(['read_file', 's:read_file', 's:*', '*'])('does not count a tool that the setting names as %s', (name) => {
  expect(counts(thrice(read), [name]).at(-1)).toBeUndefined();
});

test('counts a tool whose name only contains such a word', () => {
  for (const name of ['estate_search', 'checkout', 'catalog', 'read_statute']) {
    expect([name, counts(thrice(tool(name))).at(-1)]).toEqual([name, 3]);
  }
});

test('counts equal arguments in another order', () => {
  const given = [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    { a: 1, b: 2 },
  ] as const;
  expect(counts(given.map((args) => [read, args, say('x')] as const)).at(-1)).toBe(3);
});

test('retains no result: many sessions with large results take little memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const repeated = new RepeatedCalls(() => []);
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let at = 0; at < 200; at++) {
    // `repeat` alone would only reference the short text.
    const text = Buffer.alloc(500_000, `result ${at} `).toString('latin1');
    repeated.note(read, {}, say(text), { sessionId: `s${at}`, memoryId: undefined });
  }
  expect(used() - before).toBeLessThan(5_000_000);
  expect(repeated.note(read, {}, say('x'), { sessionId: 's0', memoryId: undefined })).toBeUndefined();
});
