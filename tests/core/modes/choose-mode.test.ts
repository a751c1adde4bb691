/** Promises of mode `auto`: cheap lists are shown, big ones are not, and nothing it picks costs more than direct. */
import { describe, expect, test } from 'vitest';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';
import { chooseMode, modeChooser } from '../../../src-main/core/modes/choose-mode.ts';
import { helperContext } from './helper-context.ts';

function view(tools: number, words: number): ReturnType<typeof helperContext> {
  const listing = {
    ...emptyListing,
    tools: Array.from({ length: tools }, (_, i) => ({
      name: `tool_${i}`,
      description: `Does thing ${i} ${'with care '.repeat(words)}`,
      inputSchema: { type: 'object', properties: { [`path_${i}`]: { type: 'string' }, depth: { type: 'integer' } } },
    })),
  };
  return helperContext([{ name: 'a', listing, instructions: undefined }]);
}

function directCost(tools: number, words: number): number {
  return Math.ceil(JSON.stringify(view(tools, words).catalog.tools.map((tool) => tool.definition)).length / 4);
}

test('a few tools are all shown, and the reason says what they cost', () => {
  const { mode, reason } = chooseMode(view(5, 5), 'claude-ai');
  expect(mode.name).toBe('proxy');
  expect(reason).toMatch(/^All 5 tools cost about \d+ tokens, 0\.\d+ % of the window of Claude Desktop\.$/);
});

test('a large catalog is not listed to an app that would load all of it', () => {
  const { mode, reason } = chooseMode(view(600, 20), 'some app');
  expect(mode.name).not.toBe('proxy');
  expect(reason).toMatch(
    /^All 600 tools would cost about \d+ tokens; in mode \w+ a session of 5 tool uses costs about \d+ tokens\.$/,
  );
});

test('an app that defers tools itself gets all of them', () => {
  const { mode, reason } = chooseMode(view(600, 20), 'claude-code');
  expect([mode.name, reason]).toEqual(['proxy', 'Claude Code loads tools when it needs them, so all 600 are shown.']);
});

describe('what auto picks never costs more than direct', () => {
  test.each([1, 3, 10, 30, 100, 300, 1000])('%i tools', (tools) => {
    const shown = view(tools, 10);
    const { mode } = chooseMode(shown, undefined);
    const listed = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(shown)];
    const cost = Math.ceil((JSON.stringify(listed).length + mode.instructions(shown).length) / 4);
    expect(cost).toBeLessThanOrEqual(directCost(tools, 10) + 20);
  });
});

test('a mode that the person names is taken as it is, an unknown one is refused', () => {
  expect(modeChooser('search', 'claude-code')(view(1, 1))).toMatchObject({
    mode: { name: 'search' },
    reason: undefined,
  });
  expect(() => modeChooser('nope', undefined)).toThrow(expect.objectContaining({ code: 'mode_unknown' }));
});
