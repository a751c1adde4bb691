/** Where `await_result` is listed, how it is called, and what it accepts. */
import { describe, expect, test } from 'vitest';
import type { AwaitRequest } from '../../../src-main/core/calls/slow-calls.ts';
import {
  awaitInstruction,
  awaitResult,
  type AwaitListing,
  shouldListAwait,
} from '../../../src-main/core/modes/await-result-tool.ts';
import { clientApps, appTraits } from '../../../src-main/core/client-apps/app-traits.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';
import { helperContext } from './helper-context.ts';

function catalog(description: string): AwaitListing['catalog'] {
  const tools = [{ name: 'work', description, inputSchema: { type: 'object' } }];
  return helperContext([{ name: 'slow', instructions: undefined, listing: { ...emptyListing, tools } }]).catalog;
}

const usual: AwaitListing = {
  mode: allModes.find('proxy'),
  era: 'legacy',
  tools: [{ name: 'work' }],
  catalog: catalog('Works. '.repeat(200)),
  used: false,
  followsLists: true,
};

describe('listing of await_result', () => {
  test.each<[string, Partial<AwaitListing>, boolean]>([
    ['is absent before a call is pending', {}, false],
    ['is present once a call is pending', { used: true }, true],
    ['is present from the start for an app that never reads its list again', { followsLists: false }, true],
    [
      'is present from the start in the stateless protocol, where a list must not depend on the session',
      { era: 'modern' },
      true,
    ],
    [
      'is absent if the list would become longer than the servers’ own',
      { era: 'modern', catalog: catalog('Works.') },
      false,
    ],
    ['is absent where a helper tool leads to it', { used: true, mode: allModes.find('search') }, false],
    ['is not repeated', { used: true, tools: [awaitResult.definition] }, false],
  ])('%s', (_what, listing, expected) => {
    expect(shouldListAwait({ ...usual, ...listing })).toBe(expected);
  });
});

test('names await_result and the handle in the instruction of every mode', () => {
  const written = allModes.modes.map((mode) => awaitInstruction(mode, { handle: 'h-1' }));
  expect(written.filter((line) => !(line.includes('await_result') && line.includes('h-1')))).toEqual([]);
});

test('tells a program to wait for less than its own time limit', () => {
  expect(awaitInstruction(allModes.find('code'), { handle: 'h-1' })).toContain('"waitSeconds":20');
});

describe('arguments of await_result', () => {
  async function wishOf(input: Record<string, unknown>): Promise<AwaitRequest | undefined> {
    let wish: AwaitRequest | undefined;
    const awaitCall = async (given: AwaitRequest): Promise<object> => {
      wish = given;
      return {};
    };
    await awaitResult.run(input, { awaitCall } as never);
    return wish;
  }

  test.each([
    [{ handle: 'h' }, { handle: 'h', waitMs: undefined, cancel: false }],
    [
      { handle: 'h', waitSeconds: 1.5 },
      { handle: 'h', waitMs: 1500, cancel: false },
    ],
    [
      { handle: 'h', waitSeconds: '20', cancel: true },
      { handle: 'h', waitMs: 20_000, cancel: true },
    ],
    [
      { handle: 'h', waitSeconds: -1, cancel: 'no' },
      { handle: 'h', waitMs: 0, cancel: false },
    ],
    [
      { handle: 'h', waitSeconds: 'long' },
      { handle: 'h', waitMs: undefined, cancel: false },
    ],
  ])('accept %j', async (input, wish) => {
    expect(await wishOf(input)).toEqual(wish);
  });

  test('require a handle', async () => {
    await expect(wishOf({})).rejects.toMatchObject({ code: 'bad_request' });
  });
});

test("limits calls to less than the client app's own limit", () => {
  const own: Record<string, number> = { 'Claude Code': 120, 'Claude Desktop': 60, 'Gemini CLI': 600 };
  const late = clientApps.filter(({ name, callLimitSeconds }) => callLimitSeconds >= (own[name] ?? 60));
  expect(late).toEqual([]);
  expect(['claude-code', 'something new', undefined].map((app) => appTraits(app).callLimitSeconds)).toEqual([
    110, 50, 50,
  ]);
});
