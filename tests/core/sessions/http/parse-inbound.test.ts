/** Parses POST requests of both protocols and rejects invalid ones. */
import { describe, expect, test } from 'vitest';
import { isJson, parseInbound, acceptsJsonAndEvents } from '../../../../src-main/core/sessions/http/parse-inbound.ts';

const key = (name: string): string => `io.modelcontextprotocol/${name}`;
const envelope = {
  [key('protocolVersion')]: '2026-07-28',
  [key('clientCapabilities')]: {},
  [key('clientInfo')]: { name: 'app', version: '1' },
};
const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', _meta: envelope } };
const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };

/** The kind, or status and code if it is rejected. */
function outcome(body: unknown, given: Record<string, string | undefined> = {}): unknown {
  const inbound = parseInbound(body, given);
  if (inbound.kind !== 'refused') return inbound.kind;
  const { status, error, id } = inbound.refusal;
  return [status, error.code, id];
}

const withMeta = (meta: object): object => ({ ...call, params: { ...call.params, _meta: { ...envelope, ...meta } } });

describe('a request of 2026-07-28', () => {
  test('is accepted if its headers match its body, with unknown members', () => {
    const odd = { ...call, vendor: 1, params: { ...call.params, vendor: [2] } };
    expect(parseInbound(odd, headers)).toEqual({ kind: 'modern', request: odd });
  });

  test('may give its name as base64', () => {
    const coded = `=?base64?${Buffer.from('écho').toString('base64')}?=`;
    const named = { ...call, params: { ...call.params, name: 'écho' } };
    expect(outcome(named, { ...headers, 'mcp-name': coded })).toBe('modern');
  });

  test.each([
    ['without the version', { 'mcp-protocol-version': undefined }],
    ['without the method', { 'mcp-method': undefined }],
    ['without the name', { 'mcp-name': undefined }],
    ['with the version of another', { 'mcp-protocol-version': '2025-11-25' }],
    ['with the version twice', { 'mcp-protocol-version': '2026-07-28, 2026-07-28' }],
    ['with another method', { 'mcp-method': 'tools/list' }],
    ['with another name', { 'mcp-name': 'remove' }],
    ['with two names', { 'mcp-name': 'echo, remove' }],
    ['with a name that is marked as base64 and is none', { 'mcp-name': '=?base64?%?=' }],
  ])('is rejected %s in its headers', (_what, changed) => {
    expect(outcome(call, { ...headers, ...changed })).toEqual([400, -32020, 7]);
  });

  test.each([
    ['version is no text', { [key('protocolVersion')]: 1 }],
    ['capabilities are no object', { [key('clientCapabilities')]: [] }],
    ['client has no name', { [key('clientInfo')]: { version: '1' } }],
    ['level is none', { [key('logLevel')]: 'loud' }],
    ['progress token is an object', { progressToken: {} }],
  ])('is rejected if the %s', (_what, meta) => {
    expect(outcome(withMeta(meta), headers)).toEqual([400, -32602, 7]);
  });

  test('is rejected if the header names the revision and the body has no _meta', () => {
    expect(outcome({ ...call, params: { name: 'echo' } }, headers)).toEqual([400, -32602, 7]);
  });

  test('of a later revision is rejected with the supported ones', () => {
    const version = '2099-01-01';
    const later = withMeta({ [key('protocolVersion')]: version });
    expect(parseInbound(later, { ...headers, 'mcp-protocol-version': version })).toMatchObject({
      refusal: { status: 400, error: { code: -32022, data: { supported: ['2026-07-28'], requested: version } }, id: 7 },
    });
  });

  test.each([['tools/list'], ['vendor/thing']])('needs no name for %s', (method) => {
    const asked = { ...call, method, params: { _meta: envelope } };
    expect(outcome(asked, { ...headers, 'mcp-method': method, 'mcp-name': undefined })).toBe('modern');
  });
});

describe('a notification of 2026-07-28', () => {
  const told = { jsonrpc: '2.0', method: 'notifications/vendor' };

  test('is accepted by the header alone', () => {
    expect(outcome(told, { 'mcp-protocol-version': '2026-07-28' })).toBe('acknowledged');
  });

  test.each([
    ['another method', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'x' }, -32020],
    ['a revision to come', { 'mcp-protocol-version': '2099-01-01' }, -32022],
  ])('is rejected with %s in the header', (_what, given, code) => {
    expect(outcome(told, given)).toEqual([400, code, null]);
  });
});

describe('a message of the stateful protocol', () => {
  test.each([
    ['request', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['request without params, said as null', { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: null }],
    ['notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['answer', { jsonrpc: '2.0', id: 1, result: {} }],
    ['failure', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }],
    ['handshake', { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } }],
  ])('may be a %s', (_what, body) => {
    expect(parseInbound(body, {})).toEqual({ kind: 'legacy', messages: [body], isBatch: false });
  });

  test('cannot be initialize under a header of 2026-07-28', () => {
    const hello = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
    expect(outcome(hello, { 'mcp-protocol-version': '2026-07-28' })).toEqual([400, -32020, 0]);
  });

  test.each([
    [null],
    ['text'],
    [7],
    [{}],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }],
    [{ id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1, method: 7 }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }],
    [{ jsonrpc: '2.0', result: {} }],
    [{ jsonrpc: '2.0', id: 1, error: 'no' }],
  ])('is not %j', (body) => {
    expect(outcome(body)).toEqual([400, -32600, null]);
  });
});

describe('a batch of messages', () => {
  const list = (id: number): object => ({ jsonrpc: '2.0', id, method: 'tools/list' });

  test('is accepted in the stateful protocol', () => {
    const both = [list(1), { jsonrpc: '2.0', method: 'notifications/initialized' }];
    expect(parseInbound(both, {})).toEqual({ kind: 'legacy', messages: both, isBatch: true });
  });

  test.each([
    ['that is empty', []],
    ['of more than a hundred', Array.from({ length: 101 }, (_, id) => list(id))],
    ['with something else in it', [list(1), 'x']],
    ['with a list in it', [[list(1)]]],
    ['with a request of 2026-07-28', [call]],
    ['with the handshake beside others', [list(1), { jsonrpc: '2.0', id: 2, method: 'initialize', params: {} }]],
    ['with an id twice', [list(1), list(1)]],
  ])('is rejected %s', (_what, body) => {
    expect(outcome(body)).toEqual([400, -32600, null]);
  });
});

test.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/json;', true],
  [undefined, false],
  ['', false],
  ['text/plain', false],
  ['text/plain; a=application/json', false],
  ['application/json, text/plain', false],
  ['application/jsonl', false],
  ['application/x-www-form-urlencoded', false],
])('returns whether the content type %j is JSON: %s', (type, expected) => {
  expect(isJson(type)).toBe(expected);
});

test.each([
  ['application/json, text/event-stream', true],
  ['text/event-stream;q=0.5,application/json', true],
  ['*/*', true],
  [undefined, true],
  ['application/json', false],
  ['text/event-stream', false],
  ['text/html', false],
])('returns whether the Accept header %j allows bodies and streams: %s', (accept, expected) => {
  expect(acceptsJsonAndEvents(accept)).toBe(expected);
});
