/** Mode `auto`: shows small lists, hides large ones, and never costs more than direct. */
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src-main/core/activity/activity-worker/count-tokens.ts';
import {
  chooseMode,
  type Costs,
  modeChooserFollowing,
  modeChooser,
  ModeCosts,
} from '../../src-main/core/choose-mode.ts';
import { requireMode } from '../../src-main/core/modes/mode-registry.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import type { ModeView } from '../../src-main/core/modes/mode.ts';
import { emptyListing } from '../../src-main/core/servers/listing.ts';
import { fileTools } from '../fixtures/servers/eight-tools/file-tools.ts';
import { webTools } from '../fixtures/servers/eight-tools/web-tools.ts';
import { helperContext } from './modes/helper-context.ts';

function viewOf(...servers: readonly (readonly [string, readonly Record<string, unknown>[]])[]): ModeView {
  const { catalog, index, level, descriptions } = helperContext(
    servers.map(([name, tools]) => ({ name, listing: { ...emptyListing, tools }, instructions: undefined })),
  );
  return { catalog, index, level, descriptions };
}

function view(tools: number, words: number): ModeView {
  const definitions = Array.from({ length: tools }, (_, i) => ({
    name: `tool_${i}`,
    description: `Does thing ${i} ${'with care '.repeat(words)}`,
    inputSchema: { type: 'object', properties: { [`path_${i}`]: { type: 'string' }, depth: { type: 'integer' } } },
  }));
  return viewOf(['a', definitions]);
}

const costs = (tools: number, words: number): Costs => new ModeCosts(allModes).costsFor(view(tools, words));

test('shows all tools of a small catalog, and states their cost', () => {
  const { mode, reason } = chooseMode(costs(5, 5), 'claude-ai');
  expect(mode.name).toBe('proxy');
  expect(reason).toMatch(
    /^Listing every tool costs about \d+ tokens, 0\.\d+% of the context window of Claude Desktop\.$/,
  );
});

test('does not list a large catalog to an app that would load all of it', () => {
  const { mode, reason } = chooseMode(costs(600, 20), 'some app');
  expect(mode.name).not.toBe('proxy');
  expect(reason).toMatch(
    /^All 600 tools would cost about [\d,]+ tokens; with search and programs, a session of 5 tool uses costs about [\d,]+ tokens, [\d,]+ fewer\.$/,
  );
});

test("considers the size of the app's context window", () => {
  const same = costs(150, 10);
  expect(chooseMode(same, 'some app').mode.name).not.toBe('proxy');
  expect(chooseMode(same, 'gemini-cli').mode.name).toBe('proxy');
});

test('shows all tools to an app that defers tools itself', () => {
  const { mode, reason } = chooseMode(costs(600, 20), 'claude-code');
  expect([mode.name, reason]).toEqual(['proxy', 'Claude Code loads tools on demand, so all tools are listed.']);
});

describe('auto compared with direct', () => {
  function listed(shown: ModeView): number {
    const { mode } = chooseMode(new ModeCosts(allModes).costsFor(shown), undefined);
    const tools = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(shown)];
    return countTokens(JSON.stringify({ tools })) + countTokens(mode.instructions(shown));
  }
  const direct = ({ catalog }: ModeView): number =>
    countTokens(JSON.stringify({ tools: catalog.tools.map(({ definition }) => definition) }));

  test('costs less for eight tools of typical size on two servers', () => {
    const shown = viewOf(['files', fileTools], ['web', webTools]);
    expect(direct(shown)).toBeGreaterThan(1100);
    expect(listed(shown)).toBeLessThan(0.95 * direct(shown));
    expect(listed({ ...shown, level: 'toolmux' })).toBeLessThan(0.8 * direct(shown));
  });

  // Minimal tools cannot be shortened; the instructions still name their servers in a line.
  test.each([1, 3, 10, 30, 100, 300, 1000])('costs no more for %i tools that are as short as can be', (tools) => {
    const shown = view(tools, 10);
    expect(listed(shown)).toBeLessThanOrEqual(direct(shown) + countTokens(allModes.find('proxy').instructions(shown)));
  });
});

describe('costs', () => {
  test('are computed once for a catalog, however many sessions request them', () => {
    const [shared, shown] = [new ModeCosts(allModes), view(10, 5)];
    expect(shared.costsFor({ ...shown })).toBe(shared.costsFor(shown));
    expect(shared.costsFor(view(10, 5))).not.toBe(shared.costsFor(shown));
  });

  test('depend on the level of descriptions, and are computed again after descriptions change', () => {
    const [shared, shown] = [new ModeCosts(allModes), viewOf(['files', fileTools])];
    const before = shared.costsFor(shown);
    expect(shared.costsFor({ ...shown, level: 'full' }).all).toBeGreaterThan(before.all);
    shared.invalidate();
    expect(shared.costsFor(shown)).not.toBe(before);
  });
});

test('uses the mode set by the user, and rejects an unknown one', () => {
  expect(modeChooser('search', 'claude-code', new ModeCosts(allModes))(view(1, 1))).toMatchObject({
    mode: { name: 'search' },
    reason: undefined,
  });
  const unknown = expect.objectContaining({ code: 'mode_unknown' }) as Error;
  expect(() => modeChooser('nope', undefined, new ModeCosts(allModes))).toThrow(unknown);
  expect(() => requireMode('nope')).toThrow(unknown);
  expect(() => requireMode('auto')).not.toThrow();
});

test('follows a changed setting, and ignores an invalid one', () => {
  let setting = 'search';
  const choose = modeChooserFollowing(() => setting, undefined, new ModeCosts(allModes));
  const modeNow = (name: string): string => {
    setting = name;
    return choose(view(1, 1)).mode.name;
  };
  expect(['search', 'meta', 'nope', 'auto'].map(modeNow)).toEqual(['search', 'meta', 'meta', 'proxy']);
});
