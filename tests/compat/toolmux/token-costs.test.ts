/**
 * Limits the cost of modes `meta` and `gateway` at the start of a session: `tools/list` and instructions, in o200k
 * tokens.
 */
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import type { CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { gatewayMode, metaMode } from '../../../src-main/compat/toolmux/modes.ts';
import type { Mode } from '../../../src-main/core/modes/mode.ts';
import { serverWith } from '../../core/catalog/catalog-of.ts';
import { helperContext } from '../../core/modes/helper-context.ts';

const verbs = ['create', 'list', 'update', 'delete', 'search', 'get'];
const things = ['pull_request', 'issue', 'repository', 'workflow_run', 'branch', 'release_asset', 'file_contents'];

/** Tools like those of real servers: two or three words, a sentence or two, a few parameters. */
function server(name: string, tools: number): CatalogServer {
  const listed = Array.from({ length: tools }, (_, i) => {
    const [verb, thing] = [verbs[i % verbs.length] as string, things[i % things.length] as string];
    return {
      name: `${verb}_${thing}${i < 42 ? '' : `_${i}`}`,
      description: `Use this tool to ${verb} one ${thing.replace('_', ' ')} of a project that you can access. It says more.`,
      inputSchema: {
        type: 'object',
        properties: { owner: { type: 'string' }, repo: { type: 'string' }, limit: { type: 'integer' } },
        required: ['owner', 'repo'],
      },
    };
  });
  return serverWith(name, { tools: listed });
}

function cost(mode: Mode, servers: readonly CatalogServer[]): number {
  const view = helperContext(servers);
  const tools = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(view)];
  return countTokens(JSON.stringify({ tools })) + countTokens(mode.instructions(view));
}

const named = (...counts: number[]): CatalogServer[] => counts.map((count, i) => server(`server${i}`, count));
const budget = (counts: readonly number[]): number =>
  150 + 25 * counts.length + 24 * counts.reduce((sum, count) => sum + count, 0);

describe('meta', () => {
  test.each([[[1]], [[3, 5]], [[300]], [Array.from({ length: 13 }, () => 18)], [Array.from({ length: 100 }, () => 1)]])(
    'costs at most 300 tokens with servers of %j tools',
    (counts) => {
      expect(cost(metaMode, named(...counts))).toBeLessThanOrEqual(300);
    },
  );
});

test('the instructions of meta name some servers and count the rest', () => {
  const text = (...names: string[]): string =>
    metaMode.instructions(helperContext(names.map((name) => serverWith(name, {}))));
  expect(text('git', 'GitHub')).toMatch(/^catalog_tools or list_all_tools.*invoke.*Tools of: git, GitHub\.$/);
  expect(text()).toContain('none yet');
  expect(text(...Array.from({ length: 100 }, (_, i) => `server${i}`))).toMatch(
    /: server0, .*, server12 and 87 more\.$/,
  );
  for (const shift of [0, 1]) {
    const long = text(`${'x'.repeat(shift)}${'🚀'.repeat(3000)}`);
    expect([long.length < 300, long.isWellFormed()]).toEqual([true, true]);
  }
});

describe('gateway', () => {
  test.each([[[1]], [[3]], [[3, 5]], [[1, 1, 1, 1, 1]], [[20, 1, 8]], [[50]], [Array.from({ length: 13 }, () => 18)]])(
    'costs at most 150 tokens, 25 per server and 24 per tool with servers of %j tools',
    (counts) => {
      expect(cost(gatewayMode, named(...counts))).toBeLessThanOrEqual(budget(counts));
    },
  );

  test('costs less per tool as a server grows, and is capped for a server of 300 tools', () => {
    const perTool = [10, 25, 50, 150, 300].map((count) => (cost(gatewayMode, named(count)) - 150) / count);
    expect(perTool).toEqual([...perTool].sort((a, b) => b - a));
    expect(cost(gatewayMode, named(300))).toBeLessThanOrEqual(150 + 600);
  });
});
