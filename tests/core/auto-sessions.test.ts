/** The cost of a session in the mode chosen by `auto`, compared with listing every tool unchanged: in o200k tokens. */
import { allModes } from '../../src-main/compat/all-modes.ts';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src-main/core/activity/activity-worker/count-tokens.ts';
import { chooseMode, ModeCosts } from '../../src-main/core/choose-mode.ts';
import type { Mode } from '../../src-main/core/modes/mode.ts';
import { serverWith } from './catalog/catalog-of.ts';
import { helperContext, type TestContext } from './modes/helper-context.ts';

const verbs = ['create', 'list', 'update', 'delete', 'search', 'get', 'archive', 'export', 'compare', 'watch'];
const things = [
  'pull request',
  'issue',
  'repository',
  'workflow run',
  'branch',
  'release asset',
  'invoice',
  'customer',
];
const places = ['project', 'team', 'account', 'workspace', 'region', 'calendar', 'folder', 'store', 'queue', 'campus'];
const perServer = 20;

/** Unique names; descriptions and schemas of typical length, about 110 tokens per tool. */
function toolAt(i: number): Record<string, unknown> {
  const verb = verbs[i % verbs.length] ?? '';
  const thing = things[Math.floor(i / verbs.length) % things.length] ?? '';
  const place = places[Math.floor(i / (verbs.length * things.length)) % places.length] ?? '';
  const more = Math.floor(i / (verbs.length * things.length * places.length));
  return {
    name: `${verb}_${thing.replace(' ', '_')}_in_${place}${more === 0 ? '' : more}`,
    description: `Use this tool to ${verb} one ${thing} of a ${place} that you can access. Needs permission of its owner.`,
    inputSchema: {
      type: 'object',
      properties: {
        [`${place}_id`]: { type: 'string', description: `Id of the ${place} to look in` },
        query: { type: 'string', description: `What the ${thing} is called, or a part of it` },
        limit: { type: 'integer', description: 'Most to return', minimum: 1, maximum: 100 },
      },
      required: [`${place}_id`],
    },
  };
}

function catalogOf(tools: number): TestContext {
  const servers = Array.from({ length: Math.ceil(tools / perServer) }, (_, at) => {
    const count = Math.min(perServer, tools - at * perServer);
    return serverWith(`server${at}`, { tools: Array.from({ length: count }, (__, i) => toolAt(at * perServer + i)) });
  });
  return helperContext(servers);
}

/** Tokens of a search in the tool's own words, its result, and the overhead of `call_tool` over a direct call. */
async function costOfUse(at: number, mode: Mode, context: TestContext): Promise<number> {
  const tool = context.catalog.tools[at];
  const name = tool?.listedName ?? '';
  const description = String(tool?.definition['description']);
  const input = { query: description.replace('Use this tool to ', '').split(' of a ')[0] ?? '' };
  const found = (await mode.helpers[0]?.run(input, context)) as { content: { text: string }[] } | undefined;
  const answer = (found?.content ?? []).map(({ text }) => text).join('\n');
  const wrapped = JSON.stringify({ name: 'call_tool', arguments: { name, arguments: {} } });
  const plain = JSON.stringify({ name, arguments: {} });
  const asked = JSON.stringify({ name: 'search', arguments: input });
  return countTokens(asked) + countTokens(answer) + countTokens(wrapped) - countTokens(plain);
}

describe.each([8, 27, 60, 90, 230, 900])('auto with %i tools', (tools) => {
  const shown = catalogOf(tools);
  const { mode, reason } = chooseMode(new ModeCosts(allModes).costsFor(shown), undefined);
  const direct = countTokens(JSON.stringify({ tools: shown.catalog.tools.map(({ definition }) => definition) }));
  const list = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(shown)];
  const fixed = countTokens(JSON.stringify({ tools: list })) + countTokens(mode.instructions(shown));

  test.each([1, 5, 20])('makes a session of %i uses no more expensive than a list of all tools', async (uses) => {
    let total = fixed;
    if (mode.name !== 'proxy') {
      expect(mode.name).toBe('auto');
      const session = catalogOf(tools);
      for (let use = 0; use < uses; use += 1) total += await costOfUse((use * 37) % tools, mode, session);
    }
    expect(total).toBeLessThanOrEqual(direct);
  });

  test('states its reason in one sentence', () => {
    expect(reason).toMatch(
      mode.name === 'proxy'
        ? /^(Listing every tool costs about [\d,]+ tokens, \d\.\d+% of the context window|Search is not sure to cost less)/
        : /^All \d+ tools would cost about [\d,]+ tokens; with search and programs, a session of 5 tool uses costs about [\d,]+ tokens, [\d,]+ fewer\.$/,
    );
  });
});
