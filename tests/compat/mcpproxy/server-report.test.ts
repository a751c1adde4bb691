import { expect, test } from 'vitest';
import type { ServerSummary } from '../../../src-main/core/admin/server-summary.ts';
import { connectionStatus, serverReport } from '../../../src-main/compat/mcpproxy/server-fields.ts';

test('a failing server reports its error and the number of tries', () => {
  const facts = { state: 'error', error: 'It ended.', failures: 3 } as ServerSummary;
  expect(connectionStatus(facts)).toEqual({ state: 'Error', last_error: 'It ended.', retry_count: 3 });
  expect(connectionStatus({ ...facts, state: 'ready', error: undefined, failures: 0 })).toEqual({ state: 'Ready' });
});

test('a server in review reports why, and what lets it start', () => {
  const health = { level: 'off', summary: '', detail: '', action: undefined };
  const facts = { name: 'm', state: 'disabled', enabled: false, tools: 0, config: {}, health, failures: 0 };
  const report = (held: string | undefined): object => serverReport({ ...facts, held } as unknown as ServerSummary, 0);
  expect(report('review')).toMatchObject({
    quarantined: true,
    security_status: expect.stringContaining('tooltray inbox show m') as string,
  });
  expect(report(undefined)).not.toHaveProperty('security_status');
});

test.each([
  [{ state: 'ready' }, { callable: 3, server_disabled: 0, disabled_by_config: 2 }],
  [{ state: 'disconnected' }, { callable: 3, server_disabled: 0, disabled_by_config: 2 }],
  [{ state: 'error' }, { callable: 0, server_disabled: 0, disabled_by_config: 2 }],
  [{ state: 'pending-sign-in' }, { callable: 0, server_disabled: 0, disabled_by_config: 2 }],
  [
    { state: 'disabled', enabled: false },
    { callable: 0, server_disabled: 5 },
  ],
])('of five tools with two disabled, %j counts those that can be called', (facts, tools) => {
  const health = { level: 'ok', summary: '', detail: '', action: undefined };
  const server = { enabled: true, tools: 5, config: {}, health, failures: 0, ...facts } as unknown as ServerSummary;
  expect(serverReport(server, 3)['tools']).toEqual(tools);
});
