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
  const fix = 'Profiles have their own tokens. For several users, run `tooltray team serve`.';
  return Promise.reject(new AppError('unsupported', 'Users are available only in a team deployment.', { fix }));
}
