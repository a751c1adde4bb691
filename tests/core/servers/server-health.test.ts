/** The health of a server: level, summary, cause and action. */
import { expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { type HealthInput, serverHealth, type ServerState } from '../../../src-main/core/servers/server-state.ts';

const error = new AppError('server_exited', 'it exited with code 1.', { fix: 'Look at its log.' });
const healthOf = (state: ServerState, facts: Partial<HealthInput> = {}): unknown[] => {
  const { level, summary, detail, action } = serverHealth({
    name: 'a',
    state,
    tools: 2,
    lazy: false,
    problems: [],
    now: 10_000,
    ...facts,
  });
  return [level, summary, detail, action?.kind];
};

test('returns "Needs setup" and the action for a server that lacks a value', () => {
  const missing = new AppError('secret_missing', 'a needs KEY.', { data: { secret: 'KEY' } });
  const failed: ServerState = { kind: 'error', error: missing, failures: 1, retryAt: 14_000 };
  expect(serverHealth({ name: 'a', state: failed, tools: 0, lazy: false, problems: [], now: 0 })).toMatchObject({
    level: 'attention',
    summary: 'Needs setup',
    action: { kind: 'add-secret', secret: 'KEY' },
  });
  const held = serverHealth({
    name: 'a',
    state: { kind: 'disabled' },
    held: 'setup',
    tools: 0,
    lazy: false,
    problems: [],
    now: 0,
  });
  expect(held).toMatchObject({ level: 'attention', summary: 'Needs setup', action: { kind: 'edit-config' } });
});

test.each<[ServerState, unknown[]]>([
  [{ kind: 'disabled' }, ['off', 'Off', 'Disabled in the config.', 'enable']],
  [{ kind: 'ready', since: 0 }, ['ok', 'Ready', '2 tools.', undefined]],
  [
    { kind: 'pending-sign-in', error },
    ['attention', 'Needs sign-in', 'it exited with code 1. Look at its log.', 'sign-in'],
  ],
  [
    { kind: 'error', error, failures: 1, retryAt: 14_000 },
    ['error', 'Stopped', 'it exited with code 1. Look at its log. Next try in 4 s.', 'retry'],
  ],
  [
    {
      kind: 'error',
      failures: 1,
      retryAt: 14_000,
      error: new AppError('secret_missing', 'a needs KEY.', { data: { secret: 'KEY', whose: 'user' } }),
    },
    ['off', 'Waiting for users', 'a needs KEY.', undefined],
  ],
])('returns the health for the state %o', (state, health) => {
  expect(healthOf(state)).toEqual(health);
});

test.each<[AppError, unknown]>([
  [new AppError('command_not_found', 'No such program.'), { kind: 'edit-config', label: 'Edit command' }],
  [new AppError('config_invalid', 'No such folder.'), { kind: 'edit-config', label: 'Edit command' }],
  [
    new AppError('secret_missing', 'It needs TOKEN.', { data: { secret: 'TOKEN' } }),
    { kind: 'add-secret', label: 'Set value', secret: 'TOKEN' },
  ],
  [new AppError('secret_locked', 'The vault is locked.'), { kind: 'unlock', label: 'Unlock' }],
  [new AppError('server_timeout', 'No answer.'), { kind: 'retry', label: 'Retry' }],
])('returns the action that fits the cause: %s', (cause, action) => {
  const state: ServerState = { kind: 'error', error: cause, failures: 1, retryAt: 14_000 };
  expect(serverHealth({ name: 'a', state, tools: 0, lazy: false, problems: [], now: 10_000 }).action).toEqual(action);
});

test('shows how long a start has been running', () => {
  expect(healthOf({ kind: 'connecting', since: 3000, failures: 0 })[1]).toBe('Starting 7 s');
  expect(healthOf({ kind: 'discovering', since: 9000, failures: 0 })[2]).toContain('for 1 s');
});

test('shows no negative time for a retry that is due', () => {
  expect(healthOf({ kind: 'error', error, failures: 3, retryAt: 9000 })[2]).toContain('Next try in 0 s.');
});

test('reports a ready server with list problems as attention, not as an error', () => {
  expect(healthOf({ kind: 'ready', since: 0 }, { problems: ['One.', 'Two.'] })).toEqual([
    'attention',
    'Ready, with problems',
    'One. Two.',
    'view-log',
  ]);
});

test('says that a sleeping lazy server starts at its first call', () => {
  expect(healthOf({ kind: 'disconnected' }, { lazy: true })).toEqual([
    'off',
    'Idle',
    'Starts on the first call.',
    undefined,
  ]);
});
