import { describe, expect, test } from 'vitest';
import type { CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { gatewayMode } from '../../../src-main/compat/toolmux/modes.ts';
import { serverWith, toolsNamed } from '../../core/catalog/catalog-of.ts';
import { helperContext } from '../../core/modes/helper-context.ts';

const listed = (servers: readonly CatalogServer[]): unknown[] =>
  gatewayMode.listed(helperContext(servers)).map(({ name, description }) => [name, description]);

describe('names of servers', () => {
  const names = (...servers: string[]): unknown[] =>
    gatewayMode.listed(helperContext(servers.map((server) => serverWith(server, {})))).map(({ name }) => name);

  test('are unchanged if client apps accept them', () => {
    expect(names('git', 'git_hub', 'My-Server')).toEqual(['git', 'git_hub', 'My-Server']);
  });

  test('that are those of helper tools get the prefix srv_', () => {
    expect(names('invoke', 'search_tools')).toEqual(['srv_invoke', 'srv_search_tools']);
  });

  test('that no client app accepts become safe and unique', () => {
    const odd = names('näme with spaces', 'x'.repeat(200), '1password', 'a b', 'a-b', '__proto__');
    expect(new Set(odd).size).toBe(6);
    for (const name of odd) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,59}$/);
  });

  test('are found under their listed name only', () => {
    const view = helperContext([serverWith('a b', {}), serverWith('git', {})]);
    expect(gatewayMode.find?.('a-b', view)?.definition.name).toBe('a-b');
    for (const name of ['a b', 'constructor', '__proto__', '']) expect(gatewayMode.find?.(name, view)).toBeUndefined();
  });
});

describe('descriptions', () => {
  test('name the tools of each server with required parameters, and say if a server has none', () => {
    const tools = [
      { name: 'x', description: 'Does x. And more.', inputSchema: { type: 'object', required: ['a', 'b'] } },
      { name: 'y' },
      { name: 'z', description: 5, inputSchema: { type: 'object', required: 'no' } },
    ];
    expect(listed([serverWith('s', { tools }), serverWith('t', {})])).toEqual([
      ['s', 'Tools: x (Does x; required: a, b), y, z'],
      ['t', expect.stringContaining('tools are unknown')],
    ]);
  });

  test('of 300 tools fit what Claude Code shows, and count the rest', () => {
    const names = Array.from({ length: 300 }, (_, i) => `do_something_number_${String(i).padStart(3, '0')}`);
    const [[, text]] = listed([serverWith('s', toolsNamed(...names))]) as [[string, string]];
    const shown = text.match(/do_something/g)?.length ?? 0;
    expect(text.length).toBeLessThanOrEqual(2048);
    expect(shown).toBeGreaterThan(70);
    expect(text).toMatch(new RegExp(`, and ${300 - shown} more: call without "tool" to see all$`));
  });

  test('omit a tool name of any length that does not fit', () => {
    const [[, text]] = listed([serverWith('s', toolsNamed('x'.repeat(5000)))]) as [[string, string]];
    expect(text).toBe('Tools: 1 in all: call without "tool" to see them');
  });
});

describe('a call', () => {
  const servers = [serverWith('a', toolsNamed('x', 'a_x')), serverWith('b', toolsNamed('x', 'read'))];

  test.each([
    ['a', { tool: 'x' }, 'a:x'],
    ['a', { tool: 'a_x' }, 'a:a_x'],
    ['b', { tool: 'x' }, 'b:x'],
    ['b', { name: 'b:read' }, 'b:read'],
    ['b', { tool: 'b_read', args: '{"p":1}' }, 'b:read'],
  ])('of %s with %j reaches %s', async (server, input, id) => {
    const context = helperContext(servers);
    await gatewayMode.find?.(server, context)?.run(input, context);
    expect(context.calls.map(({ tool, server: named }) => [tool, named])).toEqual([[id, server]]);
  });

  test('passes members beside the arguments on to the pipeline', async () => {
    const context = helperContext(servers);
    await gatewayMode.find?.('b', context)?.run({ tool: 'read', arguments: { a: 1 }, deep: true }, context);
    expect(context.calls[0]).toMatchObject({ arguments: { a: 1 }, beside: { deep: true } });
  });
});
