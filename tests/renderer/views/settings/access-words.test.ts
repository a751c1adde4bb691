/** Texts about the access of apps in the settings. */
import { accessFacts, accessMark, lastSeen } from '../../../../src-renderer/views/settings/access-words.ts';
import { expect, test } from 'vitest';
import type { AccessRow } from '../../../../src-main/core/client-apps/app-rows.ts';
import type { SessionStatus } from '../../../../src-main/rpc/contract.ts';

const day = 86_400_000;
const row = (more: Partial<AccessRow> = {}): AccessRow => ({
  app: 'cursor',
  name: 'Cursor',
  via: 'stdio',
  since: undefined,
  seen: undefined,
  revoked: undefined,
  ...more,
});

test('describes access by transport and age, and names the action that changes it', () => {
  expect([accessMark(row()), accessFacts(row(), 0)]).toEqual([
    { level: 'ok', word: 'Allowed', change: 'Revoke' },
    'stdio (command)',
  ]);
  expect(accessFacts(row({ via: 'http', since: 0 }), 3 * day)).toBe('HTTP (own endpoint) · allowed 3 days ago');
  const revoked = row({ since: 0, revoked: day });
  expect([accessMark(revoked), accessFacts(revoked, 3 * day)]).toEqual([
    { level: 'off', word: 'Revoked', change: 'Allow' },
    'Revoked 2 days ago',
  ]);
});

test('an app is active during a session, otherwise last seen when it connected or left', () => {
  const session = { app: 'cursor' } as SessionStatus;
  expect([
    lastSeen(row({ seen: 1 }), [session], 1),
    lastSeen(row({ seen: 0 }), [], 2 * day),
    lastSeen(row(), [], 1),
  ]).toEqual(['Active now', '2 days ago', 'Never']);
});
