import { expect, test } from 'vitest';
import { unwrapCall } from '../../../src-main/core/calls/validate-arguments.ts';

test.each([
  [{ arguments: { name: 'a:b', arguments: { x: 1 } } }, { name: 'a:b', arguments: { x: 1 } }],
  [{ params: '{"tool":"a:b"}' }, { tool: 'a:b' }],
])('a call that was wrapped as a whole (%j) is found inside', (input, call) => {
  expect(unwrapCall(input)).toEqual(call);
});

test.each([
  { name: 'a:b', arguments: { name: 'x', arguments: {} } },
  { arguments: { x: 1 } },
  { arguments: { name: 5 } },
  { arguments: {}, params: { name: 'a:b' } },
  { args: 'not json' },
  {},
])('anything else (%j) stays as it is', (input) => {
  expect(unwrapCall(input)).toBe(input);
});
