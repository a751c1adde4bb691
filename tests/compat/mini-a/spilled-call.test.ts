/** Tests results that `proxy-dispatch` spills: their summaries, reading them, and passing them as arguments. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { Result } from '../../../src-main/core/wire/message.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { serverWith } from '../../core/catalog/catalog-of.ts';
import { type Answer, dispatch } from './dispatch-context.ts';
import { ShapedCalls } from './shaped-calls.ts';

const servers = [serverWith('a', { tools: [{ name: 'get' }] })];
const big = { files: Array.from({ length: 500 }, (_, i) => `file ${i}`), metadata: {}, summary: 'é' };
const said = (text: string, more: object = {}): JsonObject => ({ content: [{ type: 'text', text }], ...more });
const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };

let calls: ShapedCalls;
beforeEach(async () => void (calls = await ShapedCalls.start()));
afterEach(() => calls[Symbol.asyncDispose]());

/** Runs a call whose tool returns this. */
function answering(answer: Result, input: JsonObject = {}): Promise<Answer> {
  const context = calls.context(servers, () => answer);
  return dispatch({ action: 'call', tool: 'get', arguments: {}, ...input }, context);
}

function read(input: JsonObject): Promise<Answer> {
  return dispatch(
    { action: 'readresult', ...input },
    calls.context(servers, () => said('')),
  );
}

const fileOf = ({ facts }: Answer): string => String(facts['resultFile']);

test.each([{}, { parts: [] }, { parts: [{ file: '/etc/hostname', kind: 'image' }] }])(
  "ignores a server's own claim of a spill: %j",
  async (facts) => {
    const { text, facts: told } = await answering(said('{"here":1}', { _meta: { 'tooltray/spill': facts } }));
    expect([text, told['error'], told['resultFile']]).toEqual(['{"here":1}', undefined, undefined]);
  },
);

describe('a result over the threshold', () => {
  test('is spilled, with its size, keys and beginning in the summary', async () => {
    const answer = await answering(said(JSON.stringify(big)), { resultSizeThreshold: 100 });
    const { text, facts } = answer;
    expect(JSON.parse(readFileSync(fileOf(answer), 'utf8'))).toEqual(big);
    expect(facts).toMatchObject({ autoSpilled: true, resultFormat: 'json' });
    expect(facts).not.toHaveProperty('estimatedTokens');
    // The server's result: its file is split into lines, and larger.
    const sent = JSON.stringify(big);
    expect(text.split('\n')).toEqual([
      `Result auto-spilled to temporary JSON file (exceeded 100 bytes): ${fileOf(answer)} (auto-deleted later).`,
      `Size: ${Buffer.byteLength(sent)} bytes (~${Math.ceil(Buffer.byteLength(sent) / 4)} tokens).`,
      expect.stringMatching(
        /^Read on: proxy-dispatch \{"action":"readresult","resultFile":"[a-z0-9]{20}","op":"grep",/,
      ),
      expect.stringMatching(/^Other ops: head/),
      'Format: JSON.',
      'Top-level keys: [files, metadata, summary]',
      expect.stringMatching(/^Preview: \{"files":\["file 0".{282}\.\.\.$/),
    ]);
  });

  test('names a call that reads its rows, and no path if the app has no files', async () => {
    const rows = { rows: Array.from({ length: 300 }, (_, id) => ({ id, name: `n${id}` })) };
    const context = calls.context(servers, () => said(JSON.stringify(rows)));
    const author = { ...context.author, app: 'claude-desktop' };
    const input = { action: 'call', tool: 'get', arguments: {}, resultSizeThreshold: 100 };
    const answer = await dispatch(input, { ...context, author });
    expect(answer.text).not.toContain(fileOf(answer));
    const [, example = ''] = /Read on: proxy-dispatch (.*)/.exec(answer.text) ?? [];
    const found = await dispatch(JSON.parse(example) as JsonObject, context);
    expect(found.text.split('\n')[1]).toBe('0\tn0');
  });

  test.each([
    [0, 100, false],
    [0, 0, false],
    [100_000, 100, false],
    [undefined, 100, true],
    [100, 100_000, true],
  ])('with %s for the call and %s for all calls is spilled: %s', async (own, global, kept) => {
    calls.spills.settings = { ...calls.spills.settings, threshold: global };
    const { facts } = await answering(said(JSON.stringify(big)), { resultSizeThreshold: own });
    expect('resultFile' in facts).toBe(kept);
  });

  test.each([
    ['its escapes', said(JSON.stringify(big))],
    ['its repetition as structure', said(JSON.stringify(big), { structuredContent: big })],
    ['the bytes it came as', new RawJson([Buffer.from(JSON.stringify(said(JSON.stringify(big))))])],
  ])('is measured by its text, not by %s', async (_, told) => {
    const payload = Buffer.byteLength(JSON.stringify(big));
    const fits = await answering(told, { resultSizeThreshold: payload });
    const isOver = await answering(told, { resultSizeThreshold: payload - 1 });
    expect([fits, isOver].map(({ facts }) => facts['autoSpilled'])).toEqual([undefined, true]);
  });

  test('lists its keys as TOON, too', async () => {
    calls.spills.settings = { ...calls.spills.settings, toon: true };
    const rows = { rows: Array.from({ length: 30 }, (_, id) => ({ id, name: `n${id}` })), total: 30 };
    const { text } = await answering(said(JSON.stringify(rows)), { resultSizeThreshold: 100 });
    expect(text.split('\n')).toEqual(expect.arrayContaining(['Format: TOON.', 'Top-level keys: [rows, total]']));
  });

  test('is spilled if it comes as bytes', async () => {
    const raw = new RawJson([Buffer.from(JSON.stringify(said(JSON.stringify(big))))]);
    const answer = await answering(raw, { resultSizeThreshold: 100 });
    expect(JSON.parse(readFileSync(fileOf(answer), 'utf8'))).toEqual(big);
  });

  test('is returned cut, with the reason, if it cannot be stored', async () => {
    await calls.spills.store.close();
    const { text, facts } = await answering(said(JSON.stringify(big)), { resultSizeThreshold: 100 });
    expect([text.startsWith('{"files":'), text.includes('[CUT: '), typeof facts['notKept']]).toEqual([
      true,
      true,
      'string',
    ]);
  });

  test('stays an error if it is one', async () => {
    const answer = await answering(said('x'.repeat(500), { isError: true }), { resultSizeThreshold: 100 });
    expect(answer.isError).toBe(true);
    expect(readFileSync(fileOf(answer), 'utf8')).toBe('x'.repeat(500));
  });
});

describe('a result that is requested as a file', () => {
  test('is stored at any size, and is not marked as spilled', async () => {
    const { text, facts } = await answering(said('[1,2]'), { resultToFile: true });
    expect(facts).not.toHaveProperty('autoSpilled');
    expect(text).toMatch(
      /^Result written to temporary JSON file: .*\n(.*\n)*Result is an array with 2 element\(s\)\.\nPreview: \[1,2\]$/,
    );
  });

  test('is text if it is not JSON', async () => {
    const { text } = await answering(said('Dear reader'), { resultToFile: true });
    expect(text).toMatch(/^Result written to temporary TEXT file: (.*\n)+Format: TEXT\.\nPreview: Dear reader$/);
  });

  test('is TOON with toon enabled, and so is a short one', async () => {
    calls.spills.settings = { ...calls.spills.settings, toon: true };
    const rows = { rows: Array.from({ length: 20 }, (_, id) => ({ id, name: `n${id}`, ok: true })) };
    const short = await answering(said(JSON.stringify(rows)));
    expect([short.facts['resultFormat'], short.toon]).toEqual(['toon', rows]);
    const kept = await answering(said(JSON.stringify(rows)), { resultToFile: true });
    expect([kept.facts['resultFormat'], kept.text]).toEqual(['toon', expect.stringContaining('\nFormat: TOON.\n')]);
    const { text } = await read({ resultFile: fileOf(kept), op: 'query', query: '$.rows[19].name' });
    expect(text.split('\n')[0]).toBe('"n19"');
  });

  test('stores its image in a file of its own, whose size stat returns', async () => {
    const content = [{ type: 'text', text: JSON.stringify(big) }, image];
    const answer = await answering({ content }, { resultToFile: true });
    const id = /Further part: image, 8 bytes, resultFile='([a-z0-9]+)'/.exec(answer.text)?.[1] ?? '';
    const { text, isError } = await read({ resultFile: id, op: 'stat' });
    expect([isError, text]).toEqual([false, expect.stringContaining('Size: 8 bytes\nKind: image')]);
    const grep = await read({ resultFile: id, op: 'grep', pattern: 'x' });
    expect([grep.isError, grep.text]).toEqual([true, expect.stringContaining('is a picture')]);
    expect(await calls.files.content(id)).toEqual({ mimeType: 'image/png', blob: image.data });
  });

  test('with only an image says how to get it', async () => {
    const { text } = await answering({ content: [image] }, { resultToFile: true });
    expect(text).toMatch(
      /^Result written to temporary IMAGE file: (.*\n)+.*in full with resources\/read tooltray:.*\nFormat: IMAGE\.$/,
    );
  });
});

describe('a spill', () => {
  const items = { items: Array.from({ length: 40 }, (_, i) => ({ id: i, name: `item ${i}` })) };

  test.each([
    [{}, /^File: .*\nSize: \d+ bytes \(~\d+ tokens\)\nLines: 16[0-9]$/],
    [{ op: 'head', lines: 3 }, /^\{\n {2}"items": \[\n {4}\{$/],
    [{ op: 'tail', lines: 2 }, /^ {2}\]\n\}$/],
    [{ op: 'slice', fromLine: 5, toLine: 7 }, /^ {6}"name": "item 0"\n {4}\},\n {4}\{$/],
    [{ op: 'grep', pattern: 'item 1[05]' }, /^\d+: +"name": "item 10"\n---\n\d+: +"name": "item 15"$/],
    [{ op: 'read', maxBytes: 20 }, /^\{\n {2}"items": \[\n {4}\{\n\[TRUNCATED at 20 bytes/],
    [{ op: 'query', query: '$.items[?@.id == 7].name' }, /^"item 7"\n\(1 match\)$/],
    [{ op: 'schema' }, /^object of 1 member\n {2}items: array of 40 objects of 2 members\n {4}id: number/],
    [{ op: 'table', columns: ['name'], fromRow: 2, rows: 2 }, /^name\nitem 1\nitem 2\n.*fromRow=4/],
  ])('answers %j, by its path and by its ID', async (question, expected) => {
    const kept = await answering(said(JSON.stringify(items)), { resultToFile: true });
    const byPath = await read({ resultFile: fileOf(kept), ...question });
    expect(byPath.text).toMatch(expected);
    const [spill] = calls.spills.store.list();
    const byId = await read({ resultFile: spill?.id ?? '', ...question });
    expect(byId.text).toBe(byPath.text);
  });

  test('counts reads', async () => {
    const kept = await answering(said(JSON.stringify(items)), { resultToFile: true });
    await read({ resultFile: fileOf(kept) });
    await read({ resultFile: fileOf(kept), op: 'head' });
    expect(calls.spills.store.list()[0]?.reads).toBe(2);
  });

  test.each([false, true])(
    'can be passed as arguments (as TOON: %s), and takes precedence over those given',
    async (toon) => {
      calls.spills.settings = { ...calls.spills.settings, toon };
      const args = { rows: Array.from({ length: 20 }, (_, id) => ({ id, name: `n${id}` })) };
      const context = calls.context(servers, () => said(JSON.stringify(args)));
      const kept = await dispatch({ action: 'call', tool: 'get', resultToFile: true }, context);
      const argumentsFile = fileOf(kept);
      expect(argumentsFile).toMatch(toon ? /\.toon$/ : /\.json$/);
      const chained = await dispatch({ action: 'call', tool: 'get', arguments: { x: 1 }, argumentsFile }, context);
      expect(context.calls[1]?.arguments).toEqual(args);
      expect(chained.facts['arguments']).toEqual({ _fromFile: argumentsFile });
    },
  );

  test.each(['/etc/hostname', '../core.log', 'index.db', '/etc', 'zzzzzzzzzzzzzzzzzzzz'])(
    'rejects %s, to read and as arguments',
    async (file) => {
      const context = calls.context(servers, () => said(''));
      const asFile = await read({ resultFile: file });
      const asArguments = await dispatch({ action: 'call', tool: 'get', argumentsFile: file }, context);
      expect([asFile.isError, asArguments.isError, context.calls]).toEqual([true, true, []]);
    },
  );

  test('that is deleted returns an error', async () => {
    const kept = await answering(said('[1]'), { resultToFile: true });
    await rm(fileOf(kept));
    expect((await read({ resultFile: fileOf(kept) })).text).toMatch(
      /Failed to read result file '.*': No spill with the ID/,
    );
  });
});
