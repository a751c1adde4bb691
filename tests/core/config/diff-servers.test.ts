/** What makes a server a different one. */
import { expect, test } from 'vitest';
import { diffServers } from '../../../src-main/core/config/diff-servers.ts';
import { readConfig } from '../../../src-main/core/config/read-config.ts';

function servers(entries: object, env: Record<string, string> = {}) {
  return readConfig(JSON.stringify({ servers: entries }), '/c/config.json', env).config?.servers ?? [];
}

function names({ added, removed, changed, same }: ReturnType<typeof diffServers>) {
  return {
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    changed: changed.map(({ after }) => after.name),
    same: same.map(({ name }) => name),
  };
}

test('only what differs is named: added, removed, changed, switched', () => {
  const before = servers({ a: { command: 'x' }, b: { command: 'x' }, c: { command: 'x' }, d: { command: 'x' } });
  const after = servers({
    d: { command: 'x', enabled: false },
    a: { command: 'x' },
    c: { command: 'y' },
    e: { command: 'x' },
  });
  expect(names(diffServers(before, after))).toEqual({ added: ['e'], removed: ['b'], changed: ['d', 'c'], same: ['a'] });
});

test('the order of env, a new description and the spelling of the file change nothing', () => {
  const before = servers({ a: { command: 'x', env: { A: '1', B: '2' }, description: 'old' } });
  const after = servers({ a: { description: 'new', type: 'stdio', env: { B: 2, A: '1' }, command: 'x' } });
  expect(names(diffServers(before, after))).toMatchObject({ changed: [], same: ['a'] });
  expect(diffServers(before, after).same[0]?.description).toBe('new');
});

test('a variable with another value, the order of args and another name make another hash', () => {
  const entry = { command: 'x', args: ['${env:V}', 'b'] };
  const [first] = servers({ a: entry }, { V: '1' });
  const others = [
    servers({ a: entry }, { V: '2' }),
    servers({ a: { command: 'x', args: ['b', '1'] } }),
    servers({ b: entry }, { V: '1' }),
  ];
  expect(new Set([first?.hash, ...others.map(([server]) => server?.hash)]).size).toBe(4);
});
