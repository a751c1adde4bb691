/** The summary of a server in each of its states. */
import { expect, test } from 'vitest';
import { summarizeServer } from '../../../src-main/core/admin/server-summary.ts';
import { AppError } from '../../../src-main/core/base/errors.ts';
import type { ServerConfig } from '../../../src-main/core/config/server-config.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import type { ServerState } from '../../../src-main/core/servers/server-state.ts';

const config = {
  name: 'dead',
  enabled: true,
  kind: 'stdio',
  command: 'x',
  args: [],
  env: {},
} as unknown as ServerConfig;
const error = new AppError('server_not_started', 'dead did not start.');

function errorIn(state: ServerState): string | undefined {
  const server = { state, health: {}, listing: { tools: [] } } as unknown as ManagedServer;
  return summarizeServer(server, 0, config).error;
}

test.each<ServerState>([
  { kind: 'error', error, failures: 1, retryAt: 0 },
  { kind: 'connecting', since: 0, failures: 1, error },
  { kind: 'discovering', since: 0, failures: 1, error },
  { kind: 'pending-sign-in', error },
])('returns the error of a failed server, also while it retries: $kind', (state) => {
  expect(errorIn(state)).toBe('dead did not start.');
});

test.each<ServerState>([
  { kind: 'connecting', since: 0, failures: 0 },
  { kind: 'ready', since: 0 },
])('returns no error for a server that did not fail: $kind', (state) => {
  expect(errorIn(state)).toBeUndefined();
});
