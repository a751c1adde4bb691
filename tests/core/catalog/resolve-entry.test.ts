import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { type ResolveOptions, resolveEntry, resolveServer } from '../../../src-main/core/catalog/catalog.ts';
import { catalogOf } from './catalog-of.ts';

const catalog = catalogOf({
  git: ['status', 'hub_x', 'Commit'],
  git_hub: ['status', 'x', 'only here'],
  'My Server': ['do.it', 'c1:odd', 'status'],
});

const idOf = (spelling: string, options?: ResolveOptions): string =>
  resolveEntry(catalog, 'tools', spelling, options).id;

function refusal(look: () => unknown): AppError {
  try {
    look();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('spellings of a tool', () => {
  test.each([
    ['the listed name', 'git-hub_x', 'git_hub:x'],
    ['the listed name of an odd name', 'my-server_do_it', 'My Server:do.it'],
    ['server:tool', 'git:status', 'git:status'],
    ['slug:tool', 'my-server:do.it', 'My Server:do.it'],
    ['server:tool in other letters', 'GIT:status', 'git:status'],
    ['a tool with a colon in its name', 'My Server:c1:odd', 'My Server:c1:odd'],
    ['such a tool by its bare name', 'c1:odd', 'My Server:c1:odd'],
    ['alias:tool', 'c2:status', 'git_hub:status'],
    ['default:tool', 'default:status', 'git:status'],
    ['Primary:tool', 'Primary:status', 'git:status'],
    ['server_tool', 'git_hub_status', 'git_hub:status'],
    ['server__tool', 'git__status', 'git:status'],
    ['server_tool with a name as the server has it', 'My Server_do.it', 'My Server:do.it'],
    ['the bare name, which is unique', 'only here', 'git_hub:only here'],
    ['the bare name in its own letters', 'Commit', 'git:Commit'],
  ])('include %s', (_what, spelling, id) => {
    expect(idOf(spelling)).toBe(id);
  });

  test('prefer the listed name over all others', () => {
    expect(idOf('git_hub_x')).toBe('git:hub_x');
  });

  test('prefer the longest server name if no listed name fits', () => {
    const nested = catalogOf({ a: ['b__y', 'b_y!'], a_b: ['y', 'y!'] });
    expect(resolveEntry(nested, 'tools', 'a_b__y').id).toBe('a:b__y');
    expect(resolveEntry(nested, 'tools', 'a_b_y!').id).toBe('a_b:y!');
  });

  test('may be bare or prefixed with a single server', () => {
    const single = catalogOf({ git: ['status', 'git_status', 'search_tools'] }, ['search_tools']);
    const spellings = [
      'status',
      'git:status',
      'c1:status',
      'git_status',
      'git__status',
      'search_tools',
      'git_search_tools',
    ];
    expect(spellings.map((spelling) => resolveEntry(single, 'tools', spelling).name)).toEqual([
      'status',
      'status',
      'status',
      'git_status',
      'status',
      'search_tools',
      'search_tools',
    ]);
  });

  test('may be names of object prototypes', () => {
    const traps = catalogOf({ a: ['constructor', '__proto__'], constructor: ['toString'] });
    expect(
      ['a:__proto__', 'constructor', 'constructor_toString', 'a___proto__'].map(
        (name) => resolveEntry(traps, 'tools', name).id,
      ),
    ).toEqual(['a:__proto__', 'a:constructor', 'constructor:toString', 'a:__proto__']);
    expect(refusal(() => resolveEntry(traps, 'tools', 'hasOwnProperty')).code).toBe('tool_not_found');
  });
});

describe('a server named beside the tool', () => {
  test.each(['git_hub', 'git-hub', 'GIT_HUB', 'c2', ' git_hub '])('decides as %j', (server) => {
    expect(idOf('status', { server })).toBe('git_hub:status');
  });

  test('is never overruled by the spelling of the tool', () => {
    expect(refusal(() => idOf('git:status', { server: 'git_hub' })).code).toBe('tool_not_found');
    expect(refusal(() => idOf('only here', { server: 'git' })).code).toBe('tool_not_found');
  });

  test.each(['gitt', 'c0', 'c4', 'c01', 'C2', '', '__proto__'])(
    'is rejected as %j with the available servers',
    (server) => {
      const error = refusal(() => idOf('status', { server }));
      expect([error.code, error.data]).toEqual(['server_not_found', { available: ['git', 'git_hub', 'My Server'] }]);
    },
  );

  test('takes precedence as a name over an alias', () => {
    const aliases = catalogOf({ a: [], primary: [], c1: [] });
    expect(['c1', 'c2', 'primary', 'default'].map((handle) => resolveServer(aliases, handle))).toEqual([
      'c1',
      'primary',
      'primary',
      'a',
    ]);
  });

  test('is rejected if no server is configured', () => {
    expect(refusal(() => resolveServer(catalogOf({}), 'default')).text).toContain('No server is configured yet');
  });
});

describe('unclear names', () => {
  test('of several tools are rejected with their ids', () => {
    const error = refusal(() => idOf('status'));
    const candidates = ['git:status', 'git_hub:status', 'My Server:status'];
    expect([error.code, error.data]).toEqual(['tool_ambiguous', { candidates }]);
    expect(error.text).toContain(candidates.join(', '));
  });

  test('of no tool are rejected with the closest ones', () => {
    const error = refusal(() => idOf('statsu', { suggest: (name) => [`git:${name}!`] }));
    expect([error.code, error.data]).toEqual(['tool_not_found', { candidates: ['git:statsu!'] }]);
    expect(error.text).toMatch(/Unknown tool: "statsu".*Did you mean git:statsu!\?/);
  });

  test.each(['', ':', ':status', 'git:', 'git_', '_status', 'nobody:status', 'Status'])(
    'like %j are rejected',
    (spelling) => {
      expect(refusal(() => idOf(spelling)).code).toBe('tool_not_found');
    },
  );

  test('of prompts are rejected as prompts', () => {
    expect(refusal(() => resolveEntry(catalog, 'prompts', 'x')).text).toContain('Unknown prompt: "x"');
  });
});

test('resolves spellings among ten thousand tools with a few passes over the list', () => {
  const names = Array.from({ length: 5000 }, (_, i) => `tool_${i}`);
  const big = catalogOf({ a: names, b: names });
  let reads = 0;
  const counted = big.tools.map(
    (tool) => new Proxy(tool, { get: (target, key) => (reads++, Reflect.get(target, key) as unknown) }),
  );
  const look = (spelling: string): string => resolveEntry({ ...big, tools: counted }, 'tools', spelling).id;
  expect(['b_tool_4999', 'b:tool_4999', 'b__tool_4999'].map(look)).toEqual(Array(3).fill('b:tool_4999'));
  expect(refusal(() => look('tool_4999')).code).toBe('tool_ambiguous');
  expect(refusal(() => look('nothing')).code).toBe('tool_not_found');
  expect(reads / big.tools.length).toBeLessThan(50);
});
