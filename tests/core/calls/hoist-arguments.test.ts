import { expect, test } from 'vitest';
import { unwrapCall } from '../../../src-main/core/calls/validate-arguments.ts';

test.each([
  [{ arguments: { name: 'a:b', arguments: { x: 1 } } }, { name: 'a:b', arguments: { x: 1 } }],
  [{ params: '{"tool":"a:b"}' }, { tool: 'a:b' }],
])('finds a call that is wrapped as a whole (%j)', (input, call) => {
  expect(unwrapCall(input)).toEqual(call);
});

test.each([
  { name: 'a:b', arguments: { name: 'x', arguments: {} } },
  { arguments: { x: 1 } },
  { arguments: { name: 5 } },
  { arguments: {}, params: { name: 'a:b' } },
  { args: 'not json' },
  {},
])('leaves anything else (%j) unchanged', (input) => {
  expect(unwrapCall(input)).toBe(input);
});
