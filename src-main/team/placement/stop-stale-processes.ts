/**
 * Stops user processes that are no longer valid: those of disabled or removed users, and those started with a value
 * that has changed.
 */
import { parseSecretVaultKey } from '../../core/edition.ts';
import { followGoneUsers, type FollowGoneUsersDeps } from '../users/follow-gone-users.ts';
import type { TeamVaults } from '../secrets/team-vault.ts';
import type { PersonalProcesses } from './personal-processes.ts';

export interface StopStaleProcessesDeps extends FollowGoneUsersDeps {
  readonly vaults: Pick<TeamVaults, 'changed'>;
}

/** Returns a function that stops it. */
export function stopStaleProcesses(
  processes: Pick<PersonalProcesses, 'usersOf' | 'personChanged'>,
  { vaults, ...gone }: StopStaleProcessesDeps,
): () => void {
  const stops = [
    followGoneUsers(
      gone,
      () => processes.usersOf(),
      (user) => void processes.personChanged({ user }),
    ),
    vaults.changed.on(({ owner: user, names }) => {
      const values = names.flatMap(parseSecretVaultKey);
      if (values.length > 0) void processes.personChanged({ user }, values);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
