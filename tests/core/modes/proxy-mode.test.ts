import { describe, expect, test } from 'vitest';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { readOwnResource } from '../../../src-main/core/modes/mode.ts';
import { proxyMode } from '../../../src-main/core/modes/proxy-mode.ts';
import { levelFor } from '../../../src-main/core/modes/render-tools.ts';
import { serverWith, toolsNamed } from '../catalog/catalog-of.ts';
import { helperContext } from './helper-context.ts';

const rich = {
  name: 'rich',
  title: 'Rich',
  description: 'This tool allows you to do a thing. Then more.',
  inputSchema: {
    type: 'object',
    properties: { kind: { type: 'string', enum: ['a', 'b'], description: 'which', default: 'a' } },
    required: ['kind'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object' },
  annotations: { destructiveHint: true, vendorHint: 1 },
  icons: [{ src: 'data:,' }],
  execution: { taskSupport: 'optional' },
  _meta: { 'anthropic/alwaysLoad': true },
};

describe('listed tools', () => {
  test("contain what a call needs, _meta unchanged, and annotations that differ from MCP's defaults", () => {
    const context = helperContext([serverWith('s', { tools: [rich] })]);
    expect(proxyMode.listed(context)).toEqual([
      {
        name: 'rich',
        description: 'Do a thing. Then more',
        inputSchema: {
          type: 'object',
          properties: { kind: { type: 'string', enum: ['a', 'b'], default: 'a' } },
          required: ['kind'],
        },
        annotations: { vendorHint: 1 },
        _meta: { 'anthropic/alwaysLoad': true },
      },
    ]);
  });

  test.each([
    [{ readOnlyHint: true, destructiveHint: false, openWorldHint: true, title: 'T' }, { readOnlyHint: true }],
    [
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      { destructiveHint: false, idempotentHint: true },
    ],
    [{ readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }, undefined],
  ])("keep from the annotations %j those that differ from MCP's defaults", (annotations, told) => {
    const [listed] = proxyMode.listed(helperContext([serverWith('s', { tools: [{ ...rich, annotations }] })]));
    expect(listed?.['annotations']).toEqual(told);
  });

  test("match ToolMux's at level toolmux", () => {
    const context = helperContext([serverWith('s', { tools: [rich] })]);
    expect(proxyMode.listed(Object.assign(context, { level: 'toolmux' as const }))).toEqual([
      {
        name: 'rich',
        description: 'Do a thing',
        inputSchema: { type: 'object', properties: { kind: { type: 'string', enum: ['a', 'b'] } }, required: ['kind'] },
        annotations: { destructiveHint: true, vendorHint: 1 },
        _meta: { 'anthropic/alwaysLoad': true },
      },
    ]);
  });

  test("match the server's definitions at level full", () => {
    const context = helperContext([serverWith('s', { tools: [rich] }), serverWith('t', toolsNamed())], true);
    expect(proxyMode.listed(context)).toEqual([{ ...rich, name: 's_rich' }]);
  });

  test.each([true, false])('replace malformed parts of a definition by what client apps accept (raw: %s)', (raw) => {
    const tools = [
      { name: 'x', description: 5, inputSchema: [], annotations: 'no', _meta: 1 },
      { name: 'y', inputSchema: null },
    ];
    const listed = proxyMode.listed(helperContext([serverWith('s', { tools })], raw));
    expect(listed.map((tool) => [tool['name'], tool['inputSchema']])).toEqual([
      ['x', { type: 'object' }],
      ['y', { type: 'object' }],
    ]);
  });

  test('have the same text and order each time', () => {
    const forwards = helperContext([serverWith('s', toolsNamed('a', 'b', 'c'))]);
    const backwards = helperContext([serverWith('s', toolsNamed('c', 'b', 'a'))]);
    expect(JSON.stringify(proxyMode.listed(forwards))).toBe(JSON.stringify(proxyMode.listed(backwards)));
  });
});

describe('instructions', () => {
  const textFor = (...said: (string | undefined)[]): string =>
    proxyMode.instructions(helperContext(said.map((text, i) => serverWith(`server${i}`, {}, text))));

  test("name the servers, and contain the servers' own instructions", () => {
    expect(textFor('  Ask first. ', undefined, 'Ask twice.')).toBe(
      'Tools of server0, server1, server2 through Tooltray.\n\n# server0\nAsk first.\n\n# server2\nAsk twice.',
    );
    expect(textFor()).toContain('Tooltray: no server is enabled yet.');
  });

  test('name a resource with the whole text instead of a long text of a server', async () => {
    const long = '🚀'.repeat(5000);
    const context = helperContext([serverWith('a b', {}, long), serverWith('c', {}, 'short')]);
    expect(proxyMode.instructions(context)).toBe(
      'Tools of a b, c through Tooltray. Server instructions: tooltray://instructions/NAME.\n\n# c\nshort',
    );
    const read = (uri: string) => readOwnResource(allModes.resources, uri, context);
    expect(await read('tooltray://instructions/a%20b')).toMatchObject({ mimeType: 'text/plain', text: long });
    expect(await read('tooltray://instructions/nobody')).toBeUndefined();
    expect(await read('tooltray://instructions/%')).toBeUndefined();
  });

  test.each([0, 1])('stay within the limit with a thousand servers and with an endless name (%i)', (shift) => {
    const many = textFor(...Array.from({ length: 1000 }, () => 'Say please.'));
    const long = proxyMode.instructions(
      helperContext([serverWith(`${'x'.repeat(shift)}${'🚀'.repeat(3000)}`, {}, 'Hello.')]),
    );
    for (const text of [many, long]) {
      expect(text.length).toBeLessThanOrEqual(2048);
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

describe('the level', () => {
  const of = (settings: object, app?: string): string =>
    levelFor({ raw: false, condense: undefined, product: 'tooltray', ...settings }, app);

  test('is lean by default, and a configured one applies to every app', () => {
    expect([of({}), of({ raw: true }), of({ condense: 'shape' }), of({ condense: 'toolmux' }, 'claude-code')]).toEqual([
      ...['lean', 'full', 'shape', 'toolmux'],
    ]);
  });

  test('of a ToolMux config is toolmux, except for apps that defer tools', () => {
    const product = 'toolmux';
    expect([of({ product }), of({ product }, 'claude-code'), of({ product, condense: 'full' })]).toEqual([
      ...['toolmux', 'lean', 'full'],
    ]);
  });
});
