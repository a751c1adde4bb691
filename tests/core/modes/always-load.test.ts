/** Tools that a mode starts with are always loaded by client apps that defer tools. */
import { expect, test } from 'vitest';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';
import { helperContext } from './helper-context.ts';

const view = helperContext(
  ['files', 'web'].map((name) => ({
    name,
    listing: { ...emptyListing, tools: [{ name: 'do', inputSchema: { type: 'object' } }] },
    instructions: undefined,
  })),
);

test.each(allModes.modes.filter(({ name }) => name !== 'proxy'))(
  'always loads the tools that the instructions of mode $name name',
  (mode) => {
    // Gateway's tools of servers are excluded: each can be found by its description.
    const named = mode.helpers.flatMap(({ definition: { name, _meta } }) =>
      new RegExp(`\\b${name}\\b`).test(mode.instructions(view)) ? [{ name, _meta }] : [],
    );
    expect(named.length).toBeGreaterThan(0);
    for (const { name, _meta } of named)
      expect({ name, _meta }).toEqual({ name, _meta: { 'anthropic/alwaysLoad': true } });
  },
);

test('marks no tool as always loaded where every tool is listed', () => {
  const [proxy] = allModes.modes;
  expect(proxy?.listed(view).every(({ _meta }) => _meta === undefined)).toBe(true);
});
