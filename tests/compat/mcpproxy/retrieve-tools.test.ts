import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { ask, files, retrieveContext } from './retrieve-context.ts';

const namesOf = (answer: JsonObject): unknown[] => (answer['tools'] as JsonObject[]).map((tool) => tool['name']);

test('returns a line with what a call needs, and the best matches with a schema if the line omits something', async () => {
  const nested = { type: 'object', properties: { at: { type: 'object', properties: { x: { type: 'integer' } } } } };
  const limited = { type: 'object', anyOf: [{ required: ['n'] }, { required: ['m'] }], properties: { n: {}, m: {} } };
  const context = retrieveContext([
    { name: 'place', description: 'Puts it there. Or not.', inputSchema: nested },
    { name: 'tally', inputSchema: limited },
  ]);
  const { tools, usage_instructions } = await ask('retrieve_tools', { query: 'place' }, context);
  expect(tools).toEqual([
    { name: 'fs:place', sig: '(at?: {x?: integer})', desc: 'Puts it there', call_with: 'call_tool_read' },
  ]);
  expect(usage_instructions).toContain('? is optional');
  const open = await ask('retrieve_tools', { query: 'tally' }, context);
  expect(open).toMatchObject({ tools: [{ name: 'fs:tally', inputSchema: limited }] });
  // Each schema, and the notes on how to read a line, are shown once per session.
  const again = await ask('retrieve_tools', { query: 'tally' }, context);
  expect(again).toMatchObject({ tools: [{ inputSchema_shown: 'earlier' }] });
  expect(again).not.toHaveProperty('usage_instructions');
});

test.each([
  ['read_file', 'call_tool_read'],
  ['write_file', 'call_tool_read'],
  ['delete_file', 'call_tool_destructive'],
  ['stat_file', 'call_tool_read'],
])('recommends to call %s with %s', async (query, variant) => {
  const { tools } = await ask('retrieve_tools', { query, limit: 1 });
  expect(tools).toMatchObject([{ name: `fs:${query}`, call_with: variant }]);
});

test('applies the limit of the call or the config; accepts digits as text', async () => {
  const count = async (limit: unknown, config?: number): Promise<number> => {
    const context = { ...retrieveContext(), retrieve: { limit: config } };
    return namesOf(await ask('retrieve_tools', { query: 'file', limit }, context)).length;
  };
  expect(await Promise.all([count(3), count('3'), count(undefined, 2), count(1, 2), count(-1)])).toEqual([
    ...[3, 3, 2, 1, files.length],
  ]);
});

test('an empty search result says where to look', async () => {
  const answer = await ask('retrieve_tools', { query: 'zzzz' });
  expect(answer).toMatchObject({ tools: [], hint: expect.stringContaining('Servers: fs.') as string });
});

test.each([{}, { query: '' }, { query: 5 }])('rejects an empty search (%j)', async (input) => {
  await expect(ask('retrieve_tools', input)).rejects.toMatchObject({ code: 'bad_request' });
});

test('answers a query of 100 kB without repeating it', async () => {
  const answer = await ask('retrieve_tools', { query: 'file '.repeat(20_000) });
  expect([namesOf(answer).length, JSON.stringify(answer).length < 4000]).toEqual([4, true]);
});
