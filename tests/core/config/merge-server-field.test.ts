import { expect, test } from 'vitest';
import { mergeServerField } from '../../../src-main/core/config/edit-config.ts';

const config = `{
  // mine
  "servers": {
    "a": {
      "command": "x", // how
      "args": ["1", "2"],
      "env": { "KEPT": "\${env:KEPT}", "OLD": "1" }
    }
  }
}`;

const entryAfter = (key: string, value: unknown): unknown => {
  const text = mergeServerField(config, 'a', key, value);
  expect(text).toContain('// mine');
  const bare = text.replace(/\/\/.*/g, '');
  return (JSON.parse(bare) as { servers: { a: unknown } }).servers.a;
};

const env = { KEPT: '${env:KEPT}', OLD: '1' };
const before = { command: 'x', args: ['1', '2'], env };

test.each<[string, string, unknown, object]>([
  [
    'an object is merged, and what it does not mention stays as written',
    'env',
    { NEW: '2' },
    { ...before, env: { ...env, NEW: '2' } },
  ],
  ['null inside an object takes that key out', 'env', { OLD: null }, { ...before, env: { KEPT: env.KEPT } }],
  ['null takes the field out', 'env', null, { command: 'x', args: ['1', '2'] }],
  ['a list replaces the whole list', 'args', ['3'], { ...before, args: ['3'] }],
  ['a text replaces the text', 'command', 'y', { ...before, command: 'y' }],
  [
    'an object is made where there was none, without its nulls',
    'headers',
    { A: '1', B: null },
    { ...before, headers: { A: '1' } },
  ],
  [
    'objects inside objects are merged as well',
    'env',
    { OLD: { deep: { x: 1, y: null } } },
    { ...before, env: { ...env, OLD: { deep: { x: 1 } } } },
  ],
  ['what is not there cannot be taken out', 'headers', null, before],
])('%s', (_what, key, value, after) => {
  expect(entryAfter(key, value)).toEqual(after);
});
