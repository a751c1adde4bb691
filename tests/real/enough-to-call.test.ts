/**
 * Arguments that match what a mode shows of a tool are valid for the tool: checked for every recorded tool of thirteen
 * real servers, in lists, in signatures, and in the results of gateway, meta, retrieve, and code.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src-main/core/base/json.ts';
import { type CatalogEntry, usableSchema } from '../../src-main/core/catalog/catalog.ts';
import { compactEntry } from '../../src-main/compat/mcpproxy/tool-entry.ts';
import { gatewayMode } from '../../src-main/compat/toolmux/modes.ts';
import { isLossy } from '../../src-main/core/condense/signature.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import type { HelperContext } from '../../src-main/core/modes/mode.ts';
import { toolTexts } from '../../src-main/core/modes/run-code.ts';
import { renderFoundTools } from '../../src-main/core/modes/search-mode.ts';
import { renderTool } from '../../src-main/core/modes/render-tools.ts';
import { serverWith } from '../core/catalog/catalog-of.ts';
import { argumentsFor, validatorOf } from '../core/condense/arbitrary-arguments.ts';
import { readDetail, readSignature } from '../core/condense/read-signature.ts';
import { helperContext } from '../core/modes/helper-context.ts';
import { recordedListings } from '../fixtures/recorded-listings.ts';

describe('what modes show of real tools is enough to call them', () => {
  const listed = recordedListings();
  const context: HelperContext = helperContext(
    listed.map(({ name, tools, instructions }) => serverWith(name, { tools }, instructions)),
  );
  const { tools } = context.catalog;

  test('has recordings of all thirteen servers', () => {
    expect([listed.length, tools.length > 200]).toEqual([13, true]);
  });

  function refused({ definition }: CatalogEntry, shown: JsonObject): unknown[] {
    const fits = validatorOf(usableSchema(definition));
    const made = argumentsFor(shown, 4);
    return made.filter((args) => !fits(args));
  }

  async function jsonOf(name: string, input: JsonObject): Promise<unknown> {
    const result = (await allModes.helpers.get(name)?.run(input, context)) as { content: { text: string }[] };
    return JSON.parse(result.content[0]?.text ?? '');
  }

  test.each(['shape', 'lean'] as const)('in a list at level %s', (level) => {
    for (const tool of tools) {
      const shown = renderTool(tool, { level })['inputSchema'] as JsonObject;
      expect([tool.id, refused(tool, shown)]).toEqual([tool.id, []]);
    }
  });

  /** Lossy signatures refer to the schema; almost all are lossless. */
  function requireEnough(lines: readonly (readonly [CatalogEntry, string])[]): void {
    for (const [tool, line] of lines) {
      const shown = readSignature(line);
      expect([tool.id, shown === undefined]).toEqual([tool.id, isLossy(line)]);
      if (shown !== undefined) expect([line, refused(tool, shown)]).toEqual([line, []]);
    }
    expect(lines.filter(([, line]) => isLossy(line)).length).toBeLessThan(lines.length / 15);
  }

  test('in the lines of search_tools', () => {
    const lines = renderFoundTools(
      tools.map((tool) => ({ tool, score: 1, share: 0 })),
      false,
      context,
    );
    requireEnough(lines.map((line, index) => [tools[index] as CatalogEntry, String(line['sig'])]));
  });

  test('in the lines of proxy-dispatch', async () => {
    const input = { action: 'search', query: 'e', limit: 500 };
    const facts = tools.map(({ server }) => ({ name: server }));
    Object.defineProperty(context, 'admin', { value: { list: () => facts }, enumerable: true });
    const { results } = (await jsonOf('proxy-dispatch', input)) as { results: JsonObject[] };
    const lines = results.map(({ alias, name, signature }) => {
      const tool = tools.find((one) => one.name === name && context.catalog.aliases.get(one.server) === alias);
      return [tool as CatalogEntry, String(signature)] as const;
    });
    expect(lines.length).toBeGreaterThan(50);
    requireEnough(lines);
  });

  test("in meta's catalog, by names alone or with a signature", async () => {
    const rows = (await jsonOf('catalog_tools', {})) as { parameters: string[]; sig?: string }[];
    requireEnough(
      rows.map(({ parameters, sig }, index) => [tools[index] as CatalogEntry, sig ?? parameters.join(', ')]),
    );
  });

  test('in the lines of retrieve_tools', () => {
    requireEnough(tools.map((tool) => [tool, String(compactEntry(tool, context)['sig'])]));
  });

  test('in the types that get_schema of mode code returns', () => {
    const texts = tools.map((tool) => [tool, toolTexts([tool], 'detailed')] as const);
    const told = texts.flatMap(([tool, text]) => {
      const shown = readDetail(text);
      return shown === undefined ? [] : [[tool, text, shown] as const];
    });
    for (const [tool, text, shown] of told) expect([text, refused(tool, shown)]).toEqual([text, []]);
    expect(told.length).toBeGreaterThan(tools.length * 0.9);
  });

  test('in the tool list that a gateway tool returns', async () => {
    for (const server of context.catalog.servers) {
      const name = gatewayMode.listed(context)[context.catalog.servers.indexOf(server)]?.['name'];
      const told = await gatewayMode
        .find?.(String(name), context)
        ?.run({}, context)
        .then(
          () => '',
          (error: Error) => error.message,
        );
      for (const tool of context.catalog.lookup.tools.byServer(server)) {
        const line = (told ?? '').split('\n').find((one) => one.startsWith(`  - ${tool.name}: `)) ?? '';
        const required = /\(required: (.*?)\)(?: \[|$)/.exec(line)?.[1] ?? '';
        const optional = / \[(?=[^[]*\?)(.*)\]$/.exec(line)?.[1] ?? '';
        const parameters = [required, optional].filter((part) => part !== '').join(', ');
        const shown = readSignature(parameters);
        if (shown !== undefined) expect([line, refused(tool, shown)]).toEqual([line, []]);
      }
    }
  });

  test("and gateway's list has every tool with its description and required parameters", () => {
    const texts = gatewayMode.listed(context).map(({ description }) => String(description));
    let bare = 0;
    for (const [index, server] of context.catalog.servers.entries()) {
      const text = texts[index] ?? '';
      expect(text.length).toBeLessThanOrEqual(2048);
      for (const { name, definition } of context.catalog.lookup.tools.byServer(server)) {
        const [, told] = new RegExp(`(?:: |, )${name}( \\(|, |$)`).exec(text) ?? [];
        expect([server, name, told]).toEqual([server, name, expect.any(String)]);
        if (told !== ' (' && definition['description'] !== undefined) bare += 1;
      }
    }
    expect(bare).toBe(0);
  });
});
