/** Notices when users are suspended or removed, on any replica. */
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import { type UserStore, usersTopic } from './user-store.ts';

export interface FollowGoneUsersDeps {
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly people: Pick<UserStore, 'byId'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Calls `end` for each of `users` who lost access. Returns a function that stops it. */
export function followGoneUsers(
  { changes, people, log }: FollowGoneUsersDeps,
  users: () => readonly string[],
  end: (user: string) => void,
): () => void {
  return changes.changed.on(({ topic, user: changed }) => {
    const here = users().filter((user) => changed === undefined || user === changed);
    if (topic !== usersTopic || here.length === 0) return;
    people.byId(here).then(
      (known) => here.filter((user) => known.get(user)?.isSuspended !== false).forEach(end),
      (error: unknown) => log.warn(`Could not check which users lost access: ${errorText(error)}`),
    );
  });
}
