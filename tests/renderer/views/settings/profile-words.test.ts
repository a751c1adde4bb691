/** Texts about profiles and their tokens in the settings. */
import { expect, test } from 'vitest';
import type { ProfileRow, ProfileTokenRow } from '../../../../src-main/rpc/contract.ts';
import {
  appsOf,
  expiryTime,
  rulesOf,
  serversOf,
  tokenDays,
  tokenFacts,
  tokenMark,
} from '../../../../src-renderer/views/settings/profile-words.ts';

const profile = (more: Partial<ProfileRow> = {}): ProfileRow => ({ name: 'p', rules: [], apps: [], url: '', ...more });
const now = Date.parse('2026-11-23T12:00:00Z');
const day = 86_400_000;

test('describes what a profile allows, including everything and nothing', () => {
  expect([
    serversOf(profile()),
    serversOf(profile({ servers: [] })),
    serversOf(profile({ servers: ['a', 'b'] })),
  ]).toEqual(['All servers', 'No servers', 'a and b']);
  expect([rulesOf(profile()), rulesOf(profile({ rules: ['only read-only tools', 'not a:x'] }))]).toEqual([
    'All tools',
    'Only read-only tools; not a:x',
  ]);
  const apps = ['Cursor', 'Zed'].map((appName) => ({ app: appName.toLowerCase(), appName }));
  expect([appsOf(profile()), appsOf(profile({ apps }))]).toEqual(['None', 'Cursor and Zed']);
});

test('describes a token’s state and age', () => {
  const token = (state: ProfileTokenRow['state'], revoked?: number): ProfileTokenRow => ({
    id: '0',
    profile: 'p',
    since: now - 3 * day,
    expiresAt: now + day,
    revoked,
    state,
  });
  expect((['active', 'expired', 'revoked'] as const).map((state) => tokenMark(token(state)).word)).toEqual([
    ...['Active', 'Expired', 'Revoked'],
  ]);
  expect([tokenFacts(token('active'), now), tokenFacts(token('revoked', now - day), now)]).toEqual([
    'created 3 days ago',
    'created 3 days ago, revoked 1 day ago',
  ]);
});

test('offers no expiry beyond a token’s maximum', () => {
  expect(tokenDays.map(({ value }) => (expiryTime(value, now) - now) / day)).toEqual([1, 7, 30, 90, 365]);
});
