/** Sentences for audit records. */
import { expect, test } from 'vitest';
import { describeRecord } from '../../../../src-main/core/trust/audit/describe-record.ts';
import { call } from './fixture.ts';

test('describes a call by server and tool, or by the tool alone if no server has it', () => {
  const told = (over: Parameters<typeof call>[0]): string => describeRecord({ ...call(over), seq: 1, at: 0 });
  expect(told({})).toBe('github:create_issue, 340 bytes in 13 ms');
  expect(told({ server: '', tool: 'send', outcome: 'failed', code: 'tool_not_found', result: undefined })).toBe(
    'send (failed tool_not_found), no result in 13 ms',
  );
});
