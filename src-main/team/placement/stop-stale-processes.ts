/**
 * Stops user processes that are no longer valid: those of disabled or removed users, and those started with a value
 * that has changed.
 */
import { parseSecretVaultKey } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import { type UserStore, usersTopic } from '../users/user-store.ts';
import type { TeamVaults } from '../secrets/team-vault.ts';
import type { PersonalProcesses } from './personal-processes.ts';

export interface StopStaleProcessesDeps {
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly people: Pick<UserStore, 'byId'>;
  readonly vaults: Pick<TeamVaults, 'changed'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Returns a function that stops it. */
export function stopStaleProcesses(
  processes: Pick<PersonalProcesses, 'usersOf' | 'personChanged'>,
  { changes, people, vaults, log }: StopStaleProcessesDeps,
): () => void {
  const endGone = async (changed: string | undefined): Promise<void> => {
    const users = processes.usersOf().filter((user) => changed === undefined || user === changed);
    if (users.length === 0) return;
    try {
      const here = await people.byId(users);
      const gone = users.filter((user) => here.get(user)?.isSuspended !== false);
      await Promise.all(gone.map((user) => processes.personChanged({ user })));
    } catch (error) {
      log.warn(`Whether processes of users who left still run cannot be told: ${errorText(error)}`);
    }
  };
  const stops = [
    changes.changed.on((change) => {
      if (change.topic === usersTopic) void endGone(change.user);
    }),
    vaults.changed.on(({ owner: user, names }) => {
      const values = names.flatMap(parseSecretVaultKey);
      if (values.length > 0) void processes.personChanged({ user }, values);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
