/** Which requests of 2026-07-28 over HTTP share an endpoint. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import type { Endpoint } from '../../../../src-main/core/sessions/views/endpoint.ts';
import { ModernEndpoints } from '../../../../src-main/core/sessions/http/modern-endpoints.ts';
import type { ModernEndpoint } from '../../../../src-main/core/sessions/http/modern-http.ts';

let opened: { readonly endpoint: Endpoint; readonly key: string }[];
let endpoints: ModernEndpoints;

beforeEach(() => {
  opened = [];
  endpoints = new ModernEndpoints((endpoint, key) => {
    opened.push({ endpoint, key });
    return { key } as unknown as ModernEndpoint;
  });
});

const named = (name: unknown): JsonObject => ({
  _meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } },
});

test('each client app has its own, whichever request comes first', () => {
  const [one, other] = [endpoints.at({}, '/mcp', named('one')), endpoints.at({}, '/mcp', named('other'))];
  expect(one).not.toBe(other);
  expect(endpoints.at({}, '/mcp', named('one'))).toBe(one);
  expect(opened.map(({ endpoint }) => endpoint)).toEqual([{ app: 'one' }, { app: 'other' }]);
  expect(endpoints.all).toEqual([one, other]);
});

test('an address that says which app it is for is one for everybody', () => {
  const first = endpoints.at({ app: 'Cursor' }, '/mcp/app/Cursor', named('one'));
  expect(endpoints.at({ app: 'Cursor' }, '/mcp/app/Cursor', named('other'))).toBe(first);
  expect(opened).toEqual([{ endpoint: { app: 'Cursor' }, key: '/mcp/app/Cursor' }]);
});

test.each([{ mode: 'search' }, { server: 'git' }, { profile: 'work' }])(
  'an address that says %j is one for each app, which may be held to a profile',
  (endpoint) => {
    const first = endpoints.at(endpoint, '/mcp/x/y', named('one'));
    expect(endpoints.at(endpoint, '/mcp/x/y', named('other'))).not.toBe(first);
    expect(endpoints.at(endpoint, '/mcp/x/y', named('one'))).toBe(first);
    expect(opened[0]).toEqual({ endpoint: { ...endpoint, app: 'one' }, key: '/mcp/x/y one' });
  },
);

describe('those that have no name of their own share one', () => {
  test.each([[undefined], [{}], [named(7)], [{ _meta: 'x' }], [{ _meta: [] }]])('%j', (params) => {
    const nameless = endpoints.at({}, '/mcp', {});
    expect(endpoints.at({}, '/mcp', params)).toBe(nameless);
  });

  test('and so do names beyond the fiftieth, however many there are', () => {
    const nameless = endpoints.at({}, '/mcp', undefined);
    for (let at = 0; at < 200; at++) endpoints.at({}, '/mcp', named(`app ${at}`));
    expect(endpoints.all.length).toBe(51);
    expect(endpoints.at({}, '/mcp', named('app 199'))).toBe(nameless);
    expect(endpoints.at({}, '/mcp', named('app 49'))).not.toBe(nameless);
  });
});
