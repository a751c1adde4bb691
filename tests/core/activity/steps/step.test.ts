/** A step's short description of its request. */
import { allModes } from '../../../../src-main/compat/all-modes.ts';
import { expect, test } from 'vitest';
import { newSpillId } from '../../../../src-main/core/spills/spill.ts';
import { isStep, describeStep } from '../../../../src-main/core/activity/steps/step.ts';

const spill = newSpillId();
const call = (name: string, args: object = {}) => ({ name, arguments: { ...args } });

test.each([
  ['tools/list', {}, 'proxy', ['list', 'tools/list', '']],
  ['prompts/get', { name: 'review' }, 'proxy', ['prompt', 'review', '']],
  ['resources/read', { uri: 'file:///a' }, 'proxy', ['resource', 'file:///a', '']],
  ['resources/read', { uri: 'tooltray://spill/x' }, 'proxy', ['readback', 'tooltray://spill/x', '']],
  ['tools/call', call('search_tools', { query: ['a', 'b'] }), 'search', ['search', 'search_tools', 'a, b']],
  ['tools/call', call('get_schema', { tools: ['x', 'y'] }), 'code', ['schema', 'get_schema', 'x, y']],
  ['tools/call', call('proxy', { action: 'info', path: 'x' }), 'universal', ['schema', 'proxy', 'x']],
  ['tools/call', call('execute', { code: 'return 1' }), 'code', ['program', 'execute', 'return 1']],
  [
    'tools/call',
    call('read_result', { resultFile: 'id', op: 'grep', pattern: 'x' }),
    'proxy',
    ['readback', 'read_result', 'grep x'],
  ],
  ...(
    [
      [{ op: 'slice', fromLine: 40, toLine: 80 }, 'slice lines 40–80'],
      [{ op: 'slice', start: '7', end: 7 }, 'slice line 7'],
      [{ op: 'slice', fromLine: 40 }, 'slice lines 40–end'],
      [{ op: 'tail', lines: 20 }, 'tail 20 lines'],
      [{ op: 'read', fromByte: 4096 }, 'read from byte 4096'],
      [{ op: 'table', path: '$.rows', lines: 'many' }, 'table $.rows'],
    ] as const
  ).map(
    ([input, what]) =>
      [
        'tools/call',
        call('read_result', { resultFile: 'id', ...input }),
        'proxy',
        ['readback', 'read_result', what],
      ] as [string, object, string, [string, string, string]],
  ),
  ['tools/call', call('call_tool', { name: 'git_log' }), 'search', ['call', 'call_tool', 'git_log']],
  ['tools/call', call('git_log', { name: 'HEAD' }), 'proxy', ['call', 'git_log', '']],
  [
    'tools/call',
    call('manage_servers', { action: 'remove', name: 'far' }),
    'proxy',
    ['change', 'manage_servers', 'remove far'],
  ],
  ['tools/call', call('search', { query: 'x' }), 'server', ['call', 'search', '']],
  ['elicitation/create', { message: 'Who are you?' }, 'proxy', ['question', 'elicitation/create', 'Who are you?']],
  ['completion/complete', {}, 'proxy', ['other', 'completion/complete', '']],
  ['constructor', {}, 'proxy', ['other', 'constructor', '']],
])('describes %s %j in mode %s', (method, params, mode, [kind, name, what]) => {
  expect(describeStep(method, params, mode, allModes.kindOf)).toEqual({ kind, name, what });
});

test.each([spill, `/home/u/spills/server-tool-${spill}.json`, `tooltray://spill/${spill}`])(
  'names a look-up by the address of the spill it reads: %s',
  (resultFile) => {
    const input = { resultFile, op: 'grep', pattern: 'x' };
    const direct = describeStep('tools/call', call('read_result', input), 'proxy', allModes.kindOf);
    expect(direct).toEqual({ kind: 'readback', name: `tooltray://spill/${spill}`, what: 'grep x' });
    const nested = call('call_tool', { name: 'read_result', arguments: input });
    expect(describeStep('tools/call', nested, 'search', allModes.kindOf).name).toBe(`tooltray://spill/${spill}`);
  },
);

test('bounds the description whatever the arguments hold', () => {
  const deep = { query: { name: [{ tool: 'x'.repeat(10_000) }] } };
  expect(
    describeStep('tools/call', call('search_tools', deep), 'search', allModes.kindOf).what.length,
  ).toBeLessThanOrEqual(300);
  expect(describeStep('tools/call', { name: 7, arguments: 'no object' }, 'search', allModes.kindOf).kind).toBe('call');
});

test('records no step for pings, subscriptions and malformed methods', () => {
  expect(['ping', 'tools/list', 'subscriptions/listen'].map(isStep)).toEqual([false, true, false]);
  expect([7, null, { toString: null }].map(isStep)).toEqual([false, false, false]);
});
