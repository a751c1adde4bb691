/**
 * Team-only requests about users and their tokens, as refused by a single-user core; implemented in `team/dashboard`.
 */
import { AppError } from '../../core/base/errors.ts';
import type { Handlers } from '../deps.ts';

export const teamHandlers = {
  serverStatus: alone,
  ownSignIns: alone,
  users: alone,
  setUserSuspended: alone,
  accessTokens: alone,
  createAccessToken: alone,
  revokeAccessToken: alone,
} satisfies Handlers;

function alone(): Promise<never> {
  const fix = 'Profiles have tokens of their own; see `tooltray team serve` for a Tooltray of many.';
  return Promise.reject(new AppError('unsupported', 'Users are available only in a team deployment.', { fix }));
}
