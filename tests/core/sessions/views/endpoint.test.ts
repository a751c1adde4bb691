import { expect, test } from 'vitest';
import { parseEndpoint, unknownEndpointError } from '../../../../src-main/core/sessions/views/endpoint.ts';

test.each([
  ['/mcp', {}],
  ['/mcp/', {}],
  ['/mcp/mode/search', { mode: 'search' }],
  ['/mcp/server/my%20server', { server: 'my server' }],
  ['/mcp/server/a%2Fb%3A%F0%9F%9A%80', { server: 'a/b:🚀' }],
  ['/mcp/app/__proto__', { app: '__proto__' }],
  ['/mcp/mode/nonsense', { mode: 'nonsense' }],
])('parses %s as an endpoint', (path, endpoint) => {
  expect(parseEndpoint(path)).toEqual(endpoint);
});

test.each([
  '',
  '/',
  '/MCP',
  '/mcpx',
  '//mcp',
  '/mcp//',
  '/mcp/mode',
  '/mcp/call/x',
  '/mcp/mode/',
  '/mcp/mode/search/x',
  '/mcp/server/a/b',
  '/mcp/server/%E0%A4%A',
  '/mcp/__proto__/x',
  '/x/mcp/mode/search',
])('rejects the path %j', (path) => {
  expect(parseEndpoint(path)).toBeUndefined();
});

test('names the known paths in the error for an unknown one', () => {
  expect(unknownEndpointError('/mcp/x').text).toMatch(/\/mcp\/x was not found\. Use \/mcp, \/mcp\/mode\/<mode>/);
});
