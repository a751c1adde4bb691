import { expect, test } from 'vitest';
import { RpcError } from '../../../src-main/core/wire/message.ts';
import {
  checkLink,
  inputRequests,
  labelInputRequests,
  labelServerRequest,
  ServerRequestLimiter,
  withWebLinks,
} from '../../../src-main/core/servers/server-initiated-requests.ts';

test('labels a request with the server name in front of its text', () => {
  const asked = { message: 'Your password?', requestedSchema: {}, _meta: { own: 1 } };
  expect(labelServerRequest('bank', 'elicitation/create', asked)).toEqual({
    message: 'bank: Your password?',
    requestedSchema: {},
    _meta: { own: 1, 'tooltray/server': 'bank' },
  });
  expect(labelServerRequest('bank', 'sampling/createMessage', { messages: [], systemPrompt: 'Be brief.' })).toEqual({
    messages: [],
    systemPrompt: 'Requested by the MCP server bank.\n\nBe brief.',
    _meta: { 'tooltray/server': 'bank' },
  });
  expect(labelServerRequest('bank', 'roots/list', {})).toEqual({});
});

test('labels input requests in a 2026-07-28 result and leaves other results unchanged', () => {
  const answer = { content: [] };
  expect(labelInputRequests('bank', answer)).toBe(answer);
  const request = { method: 'elicitation/create', params: { message: 'Sure?' } };
  expect(labelInputRequests('bank', { resultType: 'input_required', inputRequests: { a: request } })).toMatchObject({
    inputRequests: { a: { method: 'elicitation/create', params: { message: 'bank: Sure?' } } },
  });
});

test('rejects a result with a hundred input requests', () => {
  const request = { method: 'elicitation/create', params: {} };
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`q${at}`, request]));
  expect(() => inputRequests({ inputRequests: many })).toThrow('sent 100 input requests at once');
});

test('limits requests to a burst and a rate for each kind of request', () => {
  const limit = new ServerRequestLimiter();
  const admitted = (method: string): number => {
    let count = 0;
    try {
      for (; count < 10_000; count++) limit.admit(method);
    } catch (error) {
      expect((error as Error).message).toContain('too often');
    }
    return count;
  };
  expect(admitted('elicitation/create')).toBeLessThan(30);
  expect(admitted('sampling/createMessage')).toBeLessThan(60);
  expect(admitted('vendor/anything')).toBeLessThan(200);
});

const links: readonly [url: unknown, passes: boolean][] = [
  ['https://example.com/sign-in', true],
  ['http://127.0.0.1:8080/', true],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['data:text/html,x', false],
  ['vscode://extension/run', false],
  ['\\\\host\\share', false],
  [' https', false],
  [undefined, false],
  [7, false],
];

test.each(links)('checks an elicitation with the link %s', (url, passes) => {
  const params = { mode: 'url', message: 'Open it', url };
  const request = { method: 'elicitation/create', params };
  const refused = new RpcError(-32042, 'Open it first.', { elicitations: [params], more: 1 });
  const tries = [
    () => checkLink('elicitation/create', params),
    () => labelInputRequests('bank', { resultType: 'input_required', inputRequests: { a: request } }),
    () => labelInputRequests(undefined, { resultType: 'input_required', inputRequests: { a: request } }),
  ];
  for (const attempt of tries) {
    if (passes) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(RpcError);
  }
  expect(withWebLinks(refused).data).toEqual({ elicitations: passes ? [params] : [], more: 1 });
});
