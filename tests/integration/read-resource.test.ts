/** `read_resource` in every mode: listed if a server has resources, found by search, named next to links. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import type { Params } from '../support/raw-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({ servers: { city: fixture('library', 'city'), linker: fixture('linker', 'linker') } });
});
afterAll(() => core[Symbol.asyncDispose]());

/** All texts of a tool's result. */
async function textOfCall(client: SocketClient, tool: string, args: Params = {}): Promise<string> {
  const { content } = (await client.callTool(tool, args)) as { content: { text?: string }[] };
  return content.map(({ text }) => text ?? '').join('\n');
}

/** `universal` reads resources with its own tool. */
const modes = allModes.modes.map(({ name }) => name).filter((name) => name !== 'universal');

describe.each(modes)('in mode %s', (mode) => {
  test('is listed and reads a resource', async () => {
    const client = await core.open({}, { mode });
    expect(await client.toolNames()).toContain('read_resource');
    expect(await textOfCall(client, 'read_resource', { uri: 'data://city' })).toBe('city: data://city');
  });

  test('is not listed if no server has a resource', async () => {
    await using bare = await startCore({ servers: { echo: fixture('echo') } });
    const client = await bare.open({}, { mode });
    expect(await client.toolNames()).not.toContain('read_resource');
  });
});

test.each<[string, string, Params]>([
  ['search', 'search_tools', { query: 'data city' }],
  ['code', 'search', { query: 'data city' }],
  ['retrieve', 'retrieve_tools', { query: 'data city' }],
])('mode %s marks a resource among the hits of %s', async (mode, tool, input) => {
  const client = await core.open({}, { mode });
  const text = await textOfCall(client, tool, input);
  expect(text).toContain('resource data://city');
  expect(text).toContain('read_resource');
  expect(await textOfCall(client, tool, { query: 'lend' })).not.toContain('read_resource');
});

/** The call named by a result's text, as the model would make it. */
async function follow(client: SocketClient, text: string): Promise<string> {
  const [, tool = '', args = '{}'] = /Read it: (\S+) (\{.*\})$/m.exec(text) ?? [];
  return textOfCall(client, tool, JSON.parse(args) as Params);
}

test.each<[string, string, (args: Params) => Params]>([
  ['proxy', 'linker_give', (args) => args],
  ['search', 'call_tool', (args) => ({ name: 'linker:give', arguments: args })],
  ['retrieve', 'call_tool_destructive', (args) => ({ name: 'linker:give', args })],
  ['dispatch', 'proxy-dispatch', (args) => ({ action: 'call', tool: 'linker:give', arguments: args })],
])('mode %s names the call that reads a link, and that call works', async (mode, tool, input) => {
  const client = await core.open({}, { mode });
  const uri = `hidden://${mode}`;
  const text = await textOfCall(client, tool, input({ uri }));
  expect(await follow(client, text)).toContain(`linker says what ${uri} is`);
});

test('a program reads a resource, and its result carries no text about links', async () => {
  const client = await core.open({}, { mode: 'code' });
  const code = `const link = await call_tool('linker_give', { uri: 'hidden://code' });
    return [await call_tool('read_resource', { uri: 'data://city' }), JSON.stringify(link).includes('Read it')]`;
  const text = await textOfCall(client, 'execute', { code, language: 'javascript' });
  expect(JSON.parse(text)).toEqual(['city: data://city', false]);
});

test('lists resources without a URI, and those that fit a query', async () => {
  const client = await core.open({}, { mode: 'proxy' });
  const all = await textOfCall(client, 'read_resource');
  expect(all).toContain('resource data://city');
  expect(all).toContain('resource item://{id}');
  expect(await textOfCall(client, 'read_resource', { query: 'item' })).toBe('resource item://{id}: item');
});

test('returns an error the model can read for an unknown URI', async () => {
  const client = await core.open({}, { mode: 'search' });
  const result = await client.callTool('read_resource', { uri: 'data://nowhere' });
  expect(result).toMatchObject({ isError: true });
});
