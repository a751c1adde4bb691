/** The access of client apps in a team: a record each user, of which those that were asked for last are at hand. */
import { AppAccessStore } from '../../core/security/app-access.ts';
import type { TeamDocument, TenantRecords } from './tenant-records.ts';

interface Opened {
  readonly store: AppAccessStore;
  readonly document: TeamDocument;
}

/** Users whose access is in memory; a record is a few hundred bytes. */
const mostUsers = 5000;

export class AccessOfUsers {
  readonly #records: Pick<TenantRecords, 'records'>;
  readonly #most: number;
  /** Whoever was asked for last stands last. */
  readonly #opened = new Map<string, Promise<Opened>>();

  constructor(records: Pick<TenantRecords, 'records'>, most = mostUsers) {
    this.#records = records;
    this.#most = most;
  }

  /**
   * The same while it is among those at hand; who holds one for longer asks again, since one that was let go hears of no change. Rejects
   * with AppError store_unreachable or secret_locked.
   */
  async of(user: string): Promise<AppAccessStore> {
    const opened = this.#opened.get(user) ?? this.#open(user);
    this.#opened.delete(user);
    this.#opened.set(user, opened);
    for (const [oldest, going] of [...this.#opened].slice(0, -this.#most)) {
      this.#opened.delete(oldest);
      void going.then(({ document }) => document.close()).catch(() => undefined);
    }
    return (await opened).store;
  }

  #open(user: string): Promise<Opened> {
    const opened = this.#records.records('app-access', user).then(({ open, document }) => {
      const store = new AppAccessStore(open);
      return { store, document };
    });
    opened.catch(() => this.#opened.get(user) === opened && this.#opened.delete(user));
    return opened;
  }
}
