import { describe, expect, test } from 'vitest';
import { maxNameLength, slug, slugs } from '../../../src-main/core/catalog/listed-names.ts';
import { catalogOf } from './catalog-of.ts';

/** Names every client app accepts: Claude Desktop's and Cursor's limits, and Gemini's first character. */
const safe = /^[A-Za-z_][A-Za-z0-9_-]{0,59}$/;

const listedNames = (servers: Record<string, string[]>, reserved: string[] = []): string[] =>
  catalogOf(servers, reserved).tools.map((tool) => tool.listedName);

const odd = [
  'constructor',
  '__proto__',
  'name with spaces',
  'dots.in.it',
  'slash/and:colon',
  'emoji_🚀_ünï',
  '1st',
  '-dash',
  '🚀',
  '..',
  'x'.repeat(200),
  'x'.repeat(60),
  'x'.repeat(61),
];

describe('listed names', () => {
  test('are bare with one server, and start with the server name with several', () => {
    expect(listedNames({ git: ['status', 'log'] })).toEqual(['log', 'status']);
    expect(listedNames({ 'My Git': ['log'], b: ['log'] })).toEqual(['my-git_log', 'b_log']);
  });

  test.each([
    ['one server', { git: odd }],
    ['several servers', { '7zip': odd, 'ünï côdé 🚀': odd, '---': odd, ['long'.repeat(40)]: odd }],
  ])('are unique, short and safe for %s with odd tool names', (_what, servers) => {
    const names = listedNames(servers);
    expect(names.filter((name) => !safe.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(odd.length * Object.keys(servers).length);
  });

  test('do not depend on the order the server lists in', () => {
    const tools = [...odd, 'a b', 'a.b', 'a~b', 'a_b'];
    const shuffled = [...tools].sort((a, b) => a.length - b.length || (a < b ? 1 : -1));
    expect(catalogOf({ s: shuffled, t: shuffled }).tools).toEqual(catalogOf({ s: tools, t: tools }).tools);
  });

  test('are shortened with a suffix that depends on the tool alone', () => {
    const [long] = listedNames({ git: ['y'.repeat(80)] });
    expect(long).toMatch(/^y{53}_[0-9a-f]{6}$/);
    expect(listedNames({ git: ['a', 'y'.repeat(80), 'z'] })).toContain(long);
  });

  test('are unique if several become the same, also with a tool named like the suffixed one', () => {
    const [, suffixed] = listedNames({ s: ['a_b', 'a~b'] });
    expect(suffixed).toMatch(/^a_b_[0-9a-f]{6}$/);
    const names = listedNames({ s: ['a_b', 'a~b', suffixed as string] });
    expect(new Set(names).size).toBe(3);
    expect(names.filter((name) => name.length > maxNameLength)).toEqual([]);
  });

  test('are unique for ten thousand tools with the same first sixty characters', () => {
    const names = listedNames({ ['server'.repeat(12)]: Array.from({ length: 10_000 }, (_, i) => `tool ${i}`), b: [] });
    expect(new Set(names).size).toBe(10_000);
    expect(names.filter((name) => !safe.test(name))).toEqual([]);
  });

  test('are never those of helper tools, with one server or several', () => {
    const reserved = ['search_tools', 'call_tool'];
    expect(listedNames({ git: ['search_tools', 'log'] }, reserved)).toEqual(['log', 'git_search_tools']);
    expect(listedNames({ git: ['search_tools'], b: ['search_tools'] }, reserved)).toEqual([
      'git_search_tools',
      'b_search_tools',
    ]);
    const [disguised] = listedNames({ call: ['tool'], b: [] }, reserved);
    expect(disguised).toMatch(/^call_tool_[0-9a-f]{6}$/);
  });
});

describe('prefixes', () => {
  test('are lower case with dashes, and never empty', () => {
    expect(['GitHub', 'my server!', 'git_hub', '', '🚀'].map(slug)).toEqual([
      'github',
      'my-server-',
      'git-hub',
      'server',
      '-',
    ]);
  });

  test('are unique, and never the beginning of another one with its "_"', () => {
    const given = slugs(
      ['a b', 'a.b', 'A B', 'git', 'git_hub', 'git-hub', '__proto__', 'constructor'].map((name) => ({ name })),
    );
    expect(new Set(given.values()).size).toBe(given.size);
    expect([...given.values()].filter((one) => one.includes('_'))).toEqual([]);
    expect([given.get('a b'), given.get('git')]).toEqual(['a-b', 'git']);
  });
});
