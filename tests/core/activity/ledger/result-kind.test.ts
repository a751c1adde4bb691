import { expect, test } from 'vitest';
import { classifyResult } from '../../../../src-main/core/activity/ledger/ledger-entry.ts';
import { allModes } from '../../../../src-main/compat/all-modes.ts';

test('classifies every helper tool', () => {
  const without = [...allModes.helpers.keys()].filter(
    (name) => classifyResult(name, {}, 'proxy', allModes.kindOf) === 'direct',
  );
  expect(
    without,
    'add them to `kinds` in src-main/core/activity/ledger/ledger-entry.ts, with a kind that is not `direct`',
  ).toEqual([]);
});

test.each([
  ['search_tools', {}, 'search', 'discovery'],
  ['call_tool', { name: 'files:read' }, 'search', 'call'],
  ['call_tool', { name: 'read_result' }, 'search', 'readback'],
  ['invoke', { tool: 'await_result' }, 'meta', 'await'],
  ['execute', { code: '1' }, 'code', 'program'],
  ['proxy-dispatch', { action: 'Search' }, 'dispatch', 'discovery'],
  ['proxy-dispatch', { action: 'readresult' }, 'dispatch', 'readback'],
  ['proxy-dispatch', { action: 'call', tool: 'x' }, 'dispatch', 'call'],
  ['proxy', { action: 'list' }, 'universal', 'discovery'],
  ['files_read', {}, 'proxy', 'direct'],
  ['files', { tool: 'read_result' }, 'gateway', 'readback'],
  ['files', { tool: 'read' }, 'gateway', 'direct'],
  ['search', {}, 'server', 'direct'],
])('classifies %s %j in mode %s as %s', (tool, input, mode, kind) => {
  expect(classifyResult(tool, input, mode, allModes.kindOf)).toBe(kind);
});
