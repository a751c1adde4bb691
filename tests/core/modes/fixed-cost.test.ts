/** The cost of each mode before the first call: tools/list and instructions together, in tokens (o200k). */
import { expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { searchAndCodeMode } from '../../../src-main/core/modes/auto-mode.ts';
import { readResourceTool } from '../../../src-main/core/modes/read-resource.ts';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';
import { helperContext } from './helper-context.ts';

const names = [
  ...['filesystem', 'github', 'memory', 'playwright', 'notion', 'sentry', 'mongodb'],
  ...['firecrawl', 'context7', 'eslint', 'everything', 'git', 'sequential-thinking'],
];

const view = helperContext(
  names.map((name) => ({
    name,
    instructions: `How to use ${name}.`,
    listing: {
      ...emptyListing,
      tools: Array.from({ length: 18 }, (_, i) => ({
        name: `${name.slice(0, 4)}_tool_${i}`,
        description: `Reads or changes something of ${name} number ${i}. And says more about it.`,
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      })),
    },
  })),
);

function fixedCost(name: string): number {
  if (name === 'auto') return autoCost();
  const mode = allModes.find(name);
  const tools = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(view)];
  return countTokens(JSON.stringify({ tools })) + countTokens(mode.instructions(view));
}

/** `auto` with many tools, as a model sees it, on servers with resources. */
function autoCost(): number {
  const tools = [...searchAndCodeMode.helpers, readResourceTool].map(({ definition }) => {
    const { name, description, inputSchema }: JsonObject = definition;
    return { name, description, inputSchema };
  });
  return countTokens(JSON.stringify(tools)) + countTokens(searchAndCodeMode.instructions(view));
}

const budgets: Readonly<Record<string, number>> = {
  auto: 450,
  search: 250,
  code: 360,
  // All of mini-a's parameters are declared, with a type for each of the 23.
  dispatch: 340,
  universal: 250,
  meta: 300,
  retrieve: 600,
  gateway: 150 + 25 * names.length + 24 * names.length * 18,
};

test('sets a budget for every mode except the one that lists every tool', () => {
  const all = allModes.modes.map(({ name }) => name).filter((name) => name !== 'proxy');
  expect(Object.keys(budgets).toSorted(), 'add it to `budgets` above').toEqual([...all, 'auto'].toSorted());
});

test.each(Object.entries(budgets))('%s costs at most %i tokens with 13 servers and 234 tools', (name, budget) => {
  expect(fixedCost(name)).toBeLessThanOrEqual(budget);
});
