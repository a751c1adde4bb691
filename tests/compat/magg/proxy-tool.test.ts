import { describe, expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { HelperContext } from '../../../src-main/core/modes/mode.ts';
import { universalMode } from '../../../src-main/compat/magg/universal-mode.ts';
import { proxyTool } from '../../../src-main/compat/magg/proxy-tool.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { serverWith, toolsNamed } from '../../core/catalog/catalog-of.ts';
import { helperContext } from '../../core/modes/helper-context.ts';

const many = serverWith('many', toolsNamed(...Array.from({ length: 150 }, (_, index) => `tool_${index}`)));

interface Item {
  readonly annotations: JsonObject;
  readonly resource: { readonly text: string };
}

async function list(
  input: JsonObject,
  context: HelperContext = helperContext([many]),
): Promise<[JsonObject, unknown[]]> {
  const { content } = (await proxyTool.run({ action: 'list', type: 'tool', ...input }, context)) as { content: [Item] };
  return [content[0].annotations, JSON.parse(content[0].resource.text) as unknown[]];
}

test('the tool and the instructions cost at most 250 tokens', () => {
  const context = helperContext(['github', 'playwright', 'postgres'].map((name) => serverWith(name, {})));
  const listed = JSON.stringify(universalMode.helpers.map(({ definition }) => definition));
  expect(countTokens(listed + universalMode.instructions(context))).toBeLessThanOrEqual(250);
});

describe('paging', () => {
  test('34: lists a hundred without a limit, and the total count', async () => {
    const [facts, tools] = await list({});
    expect([facts['totalCount'], facts['limit'], facts['offset'], tools.length]).toEqual([150, 100, 0, 100]);
  });

  test('all pages together contain every tool once', async () => {
    const pages = await Promise.all([0, 40, 80, 120].map((offset) => list({ limit: 40, offset })));
    const names = pages.flatMap(([, tools]) => tools.map((tool) => (tool as JsonObject)['name']));
    expect(names).toEqual(helperContext([many]).catalog.tools.map((tool) => tool.listedName));
  });
});

test('condenses a list, except in raw mode', async () => {
  const tool = {
    name: 'a',
    description: 'First sentence. Second one.',
    outputSchema: { type: 'object' },
    inputSchema: { type: 'object', properties: { x: { type: 'string', description: 'An x.' } } },
  };
  const server = serverWith('s', { tools: [tool] });
  const short = { type: 'object', properties: { x: { type: 'string' } } };
  expect((await list({}, helperContext([server])))[1]).toEqual([
    { name: 'a', description: 'First sentence. Second one', inputSchema: short },
  ]);
  expect((await list({}, helperContext([server], true)))[1]).toEqual([tool]);
});

test('passes members beside the arguments on to the pipeline', async () => {
  const context = helperContext([many]);
  await proxyTool.run({ action: 'call', type: 'tool', path: 'tool_1', server: 'many', a: 5, args: '{"b":1}' }, context);
  expect(context.calls).toEqual([
    { tool: 'tool_1', server: 'many', arguments: { b: 1 }, beside: { a: 5 }, via: 'proxy' },
  ]);
});

test('keeps a large result as bytes, and adds its facts once', async () => {
  const raw = new RawJson([Buffer.from('{"content":[{"type":"text","text":"x"}]}')]);
  const context = Object.assign(helperContext([many]), { callTool: () => Promise.resolve(raw) });
  const result = await proxyTool.run({ action: 'call', type: 'tool', path: 'tool_1' }, context);
  expect(result).toBeInstanceOf(RawJson);
  expect((result as RawJson).parse()).toEqual({
    _meta: { 'app.tooltray/proxy': { proxyAction: 'call', proxyType: 'tool', proxyPath: 'tool_1' } },
    content: [{ type: 'text', text: 'x' }],
  });
});

test.each(['tool', 'resource', 'prompt'])('returns input_required unchanged (%s)', async (type) => {
  const question = { resultType: 'input_required', inputRequests: { a: {} }, requestState: 's' };
  const answer = (): Promise<JsonObject> => Promise.resolve(question);
  const server = serverWith('s', { ...toolsNamed('x'), prompts: [{ name: 'x' }] });
  const context = Object.assign(helperContext([server]), { callTool: answer, readResource: answer, getPrompt: answer });
  expect(await proxyTool.run({ action: 'call', type, path: 'x' }, context)).toEqual(question);
});

test('converts arguments of a prompt to strings', async () => {
  const asked: unknown[] = [];
  const context = Object.assign(helperContext([serverWith('s', { prompts: [{ name: 'p q' }] })]), {
    getPrompt: async (name: string, args: JsonObject | undefined) => {
      asked.push([name, args]);
      return { messages: [] };
    },
  });
  const input = { action: 'call', type: 'prompt', path: 'p q', args: { n: 5, list: [1], text: 'a' } };
  const { content } = (await proxyTool.run(input, context)) as { content: [{ resource: { uri: string } }] };
  expect(asked).toEqual([['p_q', { n: '5', list: '[1]', text: 'a' }]]);
  expect(content[0].resource.uri).toBe('urn:prompt:p%20q');
});

test('adds its facts to the annotations and _meta of an item', async () => {
  const item = { type: 'text', text: 'x', annotations: { priority: 1 }, _meta: { own: true } };
  const context = Object.assign(helperContext([many]), { callTool: async () => ({ content: [item] }) });
  const { content } = (await proxyTool.run({ action: 'call', type: 'tool', path: 'tool_1' }, context)) as {
    content: [JsonObject];
  };
  expect(content[0]).toMatchObject({
    annotations: { priority: 1, proxyPath: 'tool_1' },
    _meta: { own: true, 'app.tooltray/proxy': { proxyPath: 'tool_1' } },
  });
});
