import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { intentProblem } from '../../../src-main/compat/mcpproxy/call-variant.ts';

test.each<[JsonObject, string | undefined]>([
  [{}, undefined],
  [{ intent_reason: 'because', intent_data_sensitivity: 'private' }, undefined],
  [{ intent_data_sensitivity: 'Private' }, 'INVALID_SENSITIVITY'],
  [{ intent_reason: 'x'.repeat(1001) }, 'REASON_TOO_LONG'],
  [{ intent_reason: 'é'.repeat(501) }, 'REASON_TOO_LONG'],
  [{ intent_reason: 5 }, 'REASON_TOO_LONG'],
  [{ intent: { operation_type: 'write' } }, undefined],
  [{ intent: '{"operation_type":"write","reason":"because"}' }, undefined],
  [{ intent: null }, 'MISSING_INTENT'],
  [{ intent: 'write' }, 'MISSING_INTENT'],
  [{ intent: {} }, 'MISSING_OPERATION_TYPE'],
  [{ intent: { operation_type: '' } }, 'MISSING_OPERATION_TYPE'],
  [{ intent: { operation_type: 'Write' } }, 'INVALID_OPERATION_TYPE'],
  [{ intent: { operation_type: ['write'] } }, 'INVALID_OPERATION_TYPE'],
  [{ intent: { operation_type: 'read' } }, 'INTENT_MISMATCH'],
  [{ intent: { operation_type: 'destructive' } }, 'INTENT_MISMATCH'],
  [{ intent: { operation_type: 'write', data_sensitivity: 'secret' } }, 'INVALID_SENSITIVITY'],
  [{ intent: { operation_type: 'write', reason: 'x'.repeat(1001) } }, 'REASON_TOO_LONG'],
])('call_tool_write checks %j: %s', (input, code) => {
  expect(intentProblem(input, 'write')?.code).toBe(code);
});
