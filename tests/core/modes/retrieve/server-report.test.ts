import { expect, test } from 'vitest';
import type { ServerFacts } from '../../../../src-main/core/admin/server-facts.ts';
import { connectionStatus } from '../../../../src-main/core/modes/retrieve/server-report.ts';

test('a server that keeps failing says why, and how often it was tried', () => {
  const facts = { state: 'error', error: 'It ended.', failures: 3 } as ServerFacts;
  expect(connectionStatus(facts)).toEqual({ state: 'Error', last_error: 'It ended.', retry_count: 3 });
  expect(connectionStatus({ ...facts, state: 'ready', error: undefined, failures: 0 })).toEqual({ state: 'Ready' });
});
