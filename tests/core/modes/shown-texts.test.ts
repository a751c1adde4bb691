/**
 * What models read about the tools of thirteen real servers: complete texts, all required parameters, callable names.
 */
import { describe, expect, test } from 'vitest';
import { type JsonObject, textOrEmpty } from '../../../src-main/core/base/json.ts';
import { type CatalogEntry, usableSchema } from '../../../src-main/core/catalog/catalog.ts';
import { toSingleLine } from '../../../src-main/core/condense/clauses.ts';
import { isLossy } from '../../../src-main/core/condense/signature.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import type { HelperContext } from '../../../src-main/core/modes/mode.ts';
import { toolTexts } from '../../../src-main/core/modes/run-code.ts';
import { signatureLine } from '../../../src-main/core/modes/search-result-text.ts';
import { renderFoundTools } from '../../../src-main/core/modes/search-mode.ts';
import { renderTool } from '../../../src-main/core/modes/render-tools.ts';
import { recordedListings } from '../../fixtures/recorded-listings.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { compactEntry } from '../../../src-main/compat/mcpproxy/tool-entry.ts';
import { compactTool } from '../../../src-main/compat/mini-a/visible-catalog.ts';
import { summaryVariants, summaryOf } from '../../../src-main/compat/toolmux/tool-summaries.ts';
import { helperContext } from './helper-context.ts';

const listed = recordedListings();
const context: HelperContext = helperContext(listed.map(({ name, tools }) => serverWith(name, { tools })));
const { tools } = context.catalog;
const textOf = (one: JsonObject): string => textOrEmpty(one['description'] ?? one['desc']);

/** By mode, the text about a tool next to its name and parameters. */
const shown: Readonly<Record<string, (tool: CatalogEntry) => string>> = {
  'proxy at level lean': (tool) => textOf(renderTool(tool, { level: 'lean' })),
  'proxy at level shape': (tool) => textOf(renderTool(tool, { level: 'shape' })),
  search: (tool) => textOf(renderFoundTools([{ tool, score: 1, share: 0 }], false, context)[0] ?? {}),
  code: (tool) => toolTexts([tool], 'brief').replace(/^- \S+ /, ''),
  'code and universal, signed': (tool) => {
    const brief = toolTexts([tool], 'brief').replace(/^- \S+ /, '');
    const line = signatureLine(tool).replace(/[.]? Gives .*$/, '');
    return line.endsWith(`: ${brief}`) ? brief : line;
  },
  meta: (tool) => summaryOf(tool, context),
  gateway: (tool) => summaryOf(tool, context, 60, true),
  dispatch: (tool) => textOf(compactTool(tool, context)),
  retrieve: (tool) => textOf(compactEntry(tool, context)),
};

/** Words that continue a clause, and marks that end one. */
const goesOn =
  /^(?:\s*\([^()]*\))?\s*(?:$|[.;:,!?)[\]–—"'`…{]|-\s)|^(?:\s*\([^()]*\))?\s+(?:with|without|by|for|that|which|from|to|in|into|on|as|via|through|using|including|displaying|showing|returning|containing|when|where|while|if|so|and|or|based|matching)(?![\w-])/i;

function end(text: string, tool: CatalogEntry): 'ends' | 'is marked' | 'is cut' {
  const said = text.trim().replace(/[.!?。]+$/, '');
  if (said.endsWith('…')) return 'is marked';
  const whole = toSingleLine(textOrEmpty(tool.definition['description'])).toLowerCase();
  // A parenthesis may have been left out.
  const texts = [whole, whole.replace(/ \([^()]*\)/, '')];
  const tail = said.slice(-30).toLowerCase();
  const stands = texts.some((text) => {
    const at = text.indexOf(tail);
    return at >= 0 && goesOn.test(text.slice(at + tail.length));
  });
  return stands && !/\b(?:returns?|the|an?|of|most)$/.test(said) ? 'ends' : 'is cut';
}

describe.each(Object.entries(shown))('%s', (_mode, show) => {
  test('ends every text at the end of a clause', () => {
    const ends = tools.map((tool) => [tool.id, show(tool), end(show(tool), tool)] as const);
    expect(ends.filter(([, , how]) => how === 'is cut')).toEqual([]);
    // A cut without a clause end is marked, which is rare.
    expect(ends.filter(([, , how]) => how === 'is marked').length).toBeLessThan(tools.length / 20);
  });
});

test('names every required member in a signature, or marks it as lossy', () => {
  for (const tool of tools) {
    const line = signatureLine(tool);
    if (isLossy(line)) continue;
    const missing = requiredNames(usableSchema(tool.definition)).filter((name) => !line.includes(name));
    expect([tool.id, missing]).toEqual([tool.id, []]);
  }
});

test("names every required parameter of the tools explained in full in gateway's hints", () => {
  for (const tool of tools) {
    const [most = ''] = summaryVariants(tool, context);
    const { required = [] } = usableSchema(tool.definition) as { required?: string[] };
    expect([tool.id, required.filter((name) => !most.includes(name))]).toEqual([tool.id, []]);
  }
});

test('finds every tool by its own name, under a name that can be called', async () => {
  const search = allModes.helpers.get('search_tools');
  for (const tool of tools) {
    const answer = await search?.run({ query: tool.name, limit: 50 }, context);
    const { content } = answer as { content: { text: string }[] };
    const names = (JSON.parse(content[0]?.text ?? '[]') as { name: string }[]).map(({ name }) => name);
    expect([tool.id, names.includes(tool.listedName)]).toEqual([tool.id, true]);
    const found = names.map((name) => context.finder.tryFind(name));
    expect(found.filter((one) => 'missing' in one)).toEqual([]);
  }
});

function requiredNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    required = [],
    properties = {},
    items,
  } = schema as {
    required?: string[];
    properties?: Record<string, unknown>;
    items?: unknown;
  };
  const inner = required.flatMap((name) => requiredNames(properties[name]));
  return [...required, ...inner, ...requiredNames(items)];
}
