/** Result lines of searches over the tools of thirteen real servers: bounded, callable, and typed. */
import { expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { textOrEmpty } from '../../../src-main/core/base/json.ts';
import { usableSchema } from '../../../src-main/core/catalog/catalog.ts';
import { parameterTypes } from '../../../src-main/core/condense/signature.ts';
import { findTools, parseNeeds } from '../../../src-main/core/modes/find-tools.ts';
import { searchAnswer, signatureLine } from '../../../src-main/core/modes/search-result-text.ts';
import { recordedListings } from '../../fixtures/recorded-listings.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext } from './helper-context.ts';

const context = helperContext(recordedListings().map(({ name, tools }) => serverWith(name, { tools })));

async function search(query: string): Promise<string> {
  const { content } = (await searchAnswer({ query }, context, 'Nothing.')) as { content: { text: string }[] };
  return textOrEmpty(content[0]?.text);
}

test('writes no line longer than 300 characters, and a call for nearly every tool', () => {
  const lines = context.catalog.tools.map((tool) => signatureLine(tool));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(300);
  expect(lines.filter((line) => !/^- [\w-]+\(.*\)/.test(line)).length).toBeLessThan(lines.length / 50);
});

test('shows a parameter for every tool that has some, however many there are', () => {
  for (const tool of context.catalog.tools) {
    const { parameters } = parameterTypes(usableSchema(tool.definition));
    const line = signatureLine(tool);
    if (parameters.length > 0) expect(line).not.toMatch(/\(~\)/);
  }
});

test('types the result, text included', () => {
  const [tool] = context.catalog.lookup.tools.byId('filesystem:read_text_file');
  if (tool === undefined) throw new Error('no such tool');
  expect(signatureLine(tool)).toMatch(/ Gives \{content: string\}$/);
});

test('shows the signature of the best hit of every need, and each tool once', async () => {
  const text = await search('take a screenshot; read a text file; qqqzzz xxyyz; take a page screenshot');
  const groups = text.split(/\n(?=[^-\n]+:(?:\n|$| no matches))/).slice(1);
  expect(groups.map((group) => group.split('\n')[1]?.includes('(') ?? false)).toEqual([true, true, false, false]);
  expect(text).toContain('\nqqqzzz xxyyz: no matches\n');
  const described = [...text.matchAll(/^- ([\w-]+)[(:]/gm)].map(([, name]) => name);
  expect(new Set(described).size).toBe(described.length);
});

const sixNeeds = [
  'create entities and relations in memory; search text inside files; git log of a file; add two numbers; read a text file; convert time between time zones',
  'take a screenshot of a page, capture web page; list commits, git log; create a page in notion; query documents, find in collection; scrape a website, crawl; lint files, check code',
  'count rows in a file, read csv; git branches, list branches; sum numbers; sequential thinking; list issues, find errors in sentry; fetch documentation of a library, library docs',
];

test('answers six needs with at most 350 tokens in the median, and names every hit', async () => {
  const costs: number[] = [];
  for (const query of sixNeeds) {
    const text = await search(query);
    costs.push(countTokens(text));
    const named = new Set([...text.matchAll(/^- ([\w-]+)/gm)].map(([, name]) => name));
    expect(named).toEqual(new Set(findTools(parseNeeds(query), context).tools.map(({ tool }) => tool.listedName)));
  }
  expect(costs.toSorted((a, b) => a - b)[1]).toBeLessThanOrEqual(350);
});
