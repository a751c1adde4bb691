/** Descriptions of steps. */
import { expect, test } from 'vitest';
import type { CallSummary, StepSummary } from '../../../../../src-main/rpc/contract.ts';
import { costInWords, stepInWords, toolsInWords } from '../../../../../src-renderer/views/activity/trace/step-words.ts';

const call = (server: string, tool: string, more: Partial<CallSummary> = {}): CallSummary =>
  ({ server, tool, via: undefined, ...more }) as CallSummary;

test.each([
  [{ kind: 'handshake', name: 'initialize' }, 'Connected'],
  [{ kind: 'list', name: 'tools/list' }, 'Listed tools'],
  [{ kind: 'search', name: 'search_tools', what: 'open issues' }, 'Searched “open issues”'],
  [{ kind: 'search', name: 'catalog_tools' }, 'Browsed catalog_tools'],
  [{ kind: 'schema', name: 'get_schema', what: 'git_log' }, 'Read schema git_log'],
  [{ kind: 'readback', name: 'read_result', what: 'grep x' }, 'Read spill grep x'],
  [{ kind: 'readback', name: 'tooltray://spill/k3', what: 'sql SELECT 1' }, 'Read spill sql SELECT 1'],
  [{ kind: 'program', name: 'execute', callCount: 1 }, 'Ran code (1 call)'],
  [{ kind: 'question', name: 'elicitation/create' }, 'Server asked for user input'],
  [{ kind: 'call', name: 'call_tool', what: 'no_such' }, 'no_such'],
] as const)('%j', (step, words) => {
  const { verb, subject } = stepInWords({ what: '', callCount: 0, ...step });
  expect(`${verb} ${subject}`.trim()).toBe(words);
});

test('describes a call by the tool that ran, whichever helper tool called it', () => {
  const calls = [call('github', 'list_issues', { via: 'call_tool' })];
  const step = { kind: 'call', name: 'call_tool', what: 'github_list_issues', callCount: 1, calls } as const;
  expect(stepInWords(step)).toEqual({ verb: '', place: 'github', subject: 'list_issues' });
});

test('shows the tokens of a result before and after spilling', () => {
  const step = { given: 890, raw: 474_000, calls: [call('a', 'b', { spillId: 'x' })] } as unknown as StepSummary;
  expect(costInWords(step)).toBe('474k → 890');
  expect(costInWords({ ...step, calls: [] })).toBe('890');
  expect(costInWords({ ...step, given: undefined })).toBe('');
});

test('lists the tools of a program once each', () => {
  expect(toolsInWords([call('a', 'x'), call('a', 'x'), call('b', 'y')])).toBe('a:x ×2, b:y');
});
