/** Which requests of 2026-07-28 over HTTP share an endpoint. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import type { Endpoint } from '../../../../src-main/core/sessions/views/endpoint.ts';
import { StatelessEndpoints } from '../../../../src-main/core/sessions/http/stateless-endpoints.ts';
import type { StatelessEndpoint } from '../../../../src-main/core/sessions/http/stateless-endpoint.ts';

let opened: { readonly endpoint: Endpoint; readonly key: string }[];
let ended: StatelessEndpoint[];
let endpoints: StatelessEndpoints;

beforeEach(() => {
  opened = [];
  ended = [];
  endpoints = new StatelessEndpoints((endpoint, _place, key) => {
    opened.push({ endpoint, key });
    const isBusy = key === 'busy /mcp';
    const made = { key, isBusy, close: () => ended.push(made) } as unknown as StatelessEndpoint;
    return made;
  });
});

/** Path of a request, with Tooltray's own token by default. */
const at = (path: string, holder = 'person') => ({ path, holder });

const named = (name: unknown): JsonObject => ({
  _meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } },
});

test('gives each client app an endpoint, whichever requests first', () => {
  const [one, other] = [endpoints.at({}, at('/mcp'), named('one')), endpoints.at({}, at('/mcp'), named('other'))];
  expect(one).not.toBe(other);
  expect(endpoints.at({}, at('/mcp'), named('one'))).toBe(one);
  expect(opened.map(({ endpoint }) => endpoint)).toEqual([{ app: 'one' }, { app: 'other' }]);
  expect(new Set(endpoints.all)).toEqual(new Set([one, other]));
});

test('shares the endpoint of an address that names an app', () => {
  const first = endpoints.at({ app: 'Cursor' }, at('/mcp/app/Cursor'), named('one'));
  expect(endpoints.at({ app: 'Cursor' }, at('/mcp/app/Cursor'), named('other'))).toBe(first);
  expect(opened).toEqual([{ endpoint: { app: 'Cursor' }, key: '/mcp/app/Cursor' }]);
});

test.each([{ mode: 'search' }, { server: 'git' }, { profile: 'work' }])(
  'gives each client app an endpoint at an address with %j',
  (endpoint) => {
    const first = endpoints.at(endpoint, at('/mcp/x/y'), named('one'));
    expect(endpoints.at(endpoint, at('/mcp/x/y'), named('other'))).not.toBe(first);
    expect(endpoints.at(endpoint, at('/mcp/x/y'), named('one'))).toBe(first);
    expect(opened[0]).toEqual({ endpoint: { ...endpoint, app: 'one' }, key: '/mcp/x/y one' });
  },
);

test('gives each token an endpoint, which ends with its client app', () => {
  const [shared, own] = ['person', 'app Cursor'].map((holder) =>
    endpoints.at({ app: 'Cursor' }, at('/mcp/app/Cursor', holder), named('one')),
  );
  expect(own).not.toBe(shared);
  const [first, second] = ['token 1', 'token 2'].map((holder) =>
    endpoints.at({ profile: 'work' }, at('/mcp/p/work', holder), named('Cursor')),
  );
  expect(first).not.toBe(second);
  endpoints.end('Cursor');
  expect([ended, endpoints.all]).toEqual([[shared, own, first, second], []]);
});

describe('Requests without an app name', () => {
  test.each([[undefined], [{}], [named(7)], [{ _meta: 'x' }], [{ _meta: [] }]])('share an endpoint: %j', (params) => {
    const nameless = endpoints.at({}, at('/mcp'), {});
    expect(endpoints.at({}, at('/mcp'), params)).toBe(nameless);
  });

  test('share it with app names beyond the fiftieth', () => {
    const nameless = endpoints.at({}, at('/mcp'), undefined);
    for (let number = 0; number < 200; number++) endpoints.at({}, at('/mcp'), named(`app ${number}`));
    expect(endpoints.all.length).toBe(51);
    expect(endpoints.at({}, at('/mcp'), named('app 199'))).toBe(nameless);
    expect(endpoints.at({}, at('/mcp'), named('app 49'))).not.toBe(nameless);
  });
});

test('evicts the least recently used endpoint that is not busy', () => {
  endpoints.at({}, at('/mcp', 'busy'), undefined);
  const [first, second] = ['a', 'b'].map((holder) => endpoints.at({}, at('/mcp', holder), undefined));
  for (let number = 0; number < 4997; number++) endpoints.at({}, at('/mcp', `${number}`), undefined);
  endpoints.at({}, at('/mcp', 'a'), undefined);
  expect([endpoints.all.length, ended]).toEqual([5000, []]);
  endpoints.at({}, at('/mcp', 'one more'), undefined);
  expect([endpoints.all.length, ended]).toEqual([5000, [second]]);
  expect(endpoints.at({}, at('/mcp', 'a'), undefined)).toBe(first);
});
