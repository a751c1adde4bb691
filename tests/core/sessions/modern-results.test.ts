import { describe, expect, test } from 'vitest';
import { discoverResult, toStatelessResult } from '../../../src-main/core/sessions/stateless-results.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';

const serverInfo = { name: 'tooltray', version: '1' };
const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };

const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

describe('Required members of a result', () => {
  test.each(['tools/call', 'prompts/get', 'completion/complete', 'vendor/x'])(
    '%s: resultType and serverInfo',
    (method) => {
      expect(toStatelessResult(method, { content: [] }, serverInfo)).toEqual({
        resultType: 'complete',
        content: [],
        _meta,
      });
    },
  );

  test.each(lists)('%s: ttlMs, and cacheScope private', (method) => {
    const result = toStatelessResult(method, {}, serverInfo);
    expect(result).toEqual({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private', _meta });
  });

  test('resources/read: ttlMs 0', () => {
    expect(toStatelessResult('resources/read', { contents: [] }, serverInfo)).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
  });
});

describe('Existing members of a result', () => {
  test('stay unchanged in an object', () => {
    const given = {
      resultType: 'input_required',
      requestState: 's',
      ttlMs: 5,
      cacheScope: 'public',
      _meta: { ..._meta, vendor: 1 },
      vendor: [1],
    };
    expect(toStatelessResult('resources/read', given, { name: 'other' })).toEqual(given);
  });

  test('are completed with missing ones', () => {
    expect(toStatelessResult('resources/read', { ttlMs: 5 }, serverInfo)).toMatchObject({
      ttlMs: 5,
      cacheScope: 'private',
    });
    expect(toStatelessResult('resources/read', { cacheScope: 'public' }, serverInfo)).toMatchObject({
      ttlMs: 0,
      cacheScope: 'public',
    });
  });

  test('stay unchanged in raw bytes', () => {
    const text = '{"content":[],"big":12345678901234567890}';
    const raw = (facts = {}): RawJson => new RawJson([Buffer.from(text)], facts);
    const typed = raw({ resultType: 'complete' });
    expect(toStatelessResult('tools/call', typed, serverInfo)).toBe(typed);
    expect((toStatelessResult('tools/call', raw(), serverInfo) as RawJson).text()).toBe(
      `{"resultType":"complete",${text.slice(1)}`,
    );
    const read = toStatelessResult('resources/read', raw({ cacheScope: 'public' }), serverInfo) as RawJson;
    expect(read.text()).toBe(`{"resultType":"complete","ttlMs":0,${text.slice(1)}`);
  });

  test('replace an invalid _meta', () => {
    expect(toStatelessResult('tools/call', { _meta: 'no' }, serverInfo)).toEqual({ resultType: 'complete', _meta });
  });
});

test('returns the capabilities and instructions of initialize as a discover result', () => {
  const capabilities = { tools: { listChanged: true } };
  const found = discoverResult({ serverInfo, capabilities, instructions: undefined });
  expect(found).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
    capabilities,
    ttlMs: 60_000,
    cacheScope: 'private',
    _meta,
  });
  expect(discoverResult({ serverInfo, capabilities, instructions: 'Hello.' })['instructions']).toBe('Hello.');
});
