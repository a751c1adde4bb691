/**
 * A team's vault: secrets of the organization and of each user, as encrypted rows. Owner and name are authenticated,
 * so that a row copied to another place cannot be decrypted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql, TransactionSql } from 'postgres';
import { type SecretStore, serverSecretPrefix, type VaultStatus } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import { Semaphore } from '../../core/base/semaphore.ts';
import { notifyChange, type ChangeFeed } from '../database/change-feed.ts';
import { databaseError } from '../database/database.ts';
import { KeyRing } from './key-ring.ts';

export interface TeamVaultsOptions {
  /** Connections of the team's database. */
  readonly sql: Sql;
  /** Keys of the team, 32 bytes each: the first encrypts, all decrypt. */
  readonly ring: readonly Buffer[];
  readonly changes: Pick<ChangeFeed, 'changed'>;
}

/** Owner of the organization's secrets. */
const organisation = '';
/** Maximum length of one value, in bytes. */
const maxValueBytes = 512 * 1024;
/** Maximum connections that hold a row while an authorization server responds; the others stay available. */
const maxHeld = 3;
/** How long to wait for a row that another replica has locked, in ms; longer than any refresh takes. */
const waitMs = 90_000;

export class TeamVaults {
  /** Emits when a cached owner's secrets change, on any replica; the organization's owner is empty. */
  readonly changed = new Emitter<{ readonly owner: string; readonly names: readonly string[] }>();
  readonly #options: TeamVaultsOptions;
  readonly #keys: KeyRing;
  readonly #held = new Semaphore(maxHeld);
  readonly #vaults = new Map<string, TeamVault>();
  /** Decrypted values held by other parts. */
  readonly #known: (() => readonly string[])[] = [];
  readonly #stop: () => void;

  constructor(options: TeamVaultsOptions) {
    const { ring, changes } = options;
    this.#options = options;
    this.#keys = new KeyRing(ring);
    this.#stop = changes.changed.on((change) => {
      if (change.topic.startsWith(topics)) void this.#vaults.get(change.topic.slice(topics.length))?.onChange();
    });
  }

  get organization(): TeamVault {
    return this.forUser(organisation);
  }

  /** The user's own vault. */
  forUser(owner: string): TeamVault {
    const { sql } = this.#options;
    const known = this.#vaults.get(owner);
    if (known !== undefined) return known;
    const beside = (): readonly string[] =>
      owner === organisation
        ? [
            ...[...this.#vaults].flatMap(([of, one]) => (of === owner ? [] : one.values)),
            ...this.#known.flatMap((now) => now()),
          ]
        : [];
    const made = new TeamVault({ sql, owner, keys: this.#keys, held: this.#held, beside });
    this.#vaults.set(owner, made);
    made.changed.on((names) => this.changed.emit({ owner, names }));
    // A masker of the organization's secrets also masks those of all users.
    if (owner !== organisation) made.learned.on(() => this.organization.learned.emit());
    return made;
  }

  /** Adds current values of other parts to those masked with the organization's. */
  addMaskedValues(values: () => readonly string[], changed: Pick<Emitter, 'on'>): void {
    this.#known.push(values);
    changed.on(() => this.organization.learned.emit());
  }

  /** All users with stored secrets. */
  async owners(): Promise<readonly string[]> {
    const { sql } = this.#options;
    const rows = await sql<{ owner: string }[]>`
      SELECT DISTINCT owner FROM tooltray.secrets WHERE owner <> ${organisation} ORDER BY owner
    `.catch(rethrow);
    return rows.map(({ owner }) => owner);
  }

  /**
   * Encrypts every secret with the first key, in one transaction; replicas continue. Returns the number of secrets.
   * Rejects with AppError.
   */
  async rotate(): Promise<number> {
    const { sql } = this.#options;
    return sql
      .begin(async (held) => {
        const rows = await held<Row[]>`
          SELECT owner, name, sealed FROM tooltray.secrets ORDER BY owner, name FOR UPDATE`;
        for (const { owner, name, sealed } of rows) {
          const about = aboutOf(owner, name);
          await held`
            UPDATE tooltray.secrets SET sealed = ${this.#keys.seal(this.#keys.open(sealed, about), about)}
            WHERE owner = ${owner} AND name = ${name}`;
        }
        return rows.length;
      })
      .catch(rethrow);
  }

  close(): void {
    this.#stop();
  }
}

interface Row {
  readonly owner: string;
  readonly name: string;
  readonly sealed: string;
}

interface TeamVaultOptions {
  readonly sql: Sql;
  readonly owner: string;
  readonly keys: KeyRing;
  readonly held: Semaphore;
  /** Decrypted values of other parts, masked together with its own. */
  readonly beside: () => readonly string[];
}

export class TeamVault implements SecretStore {
  readonly changed = new Emitter<readonly string[]>();
  /** Never emits: a team's keys are present from the start. */
  readonly onOpened = new Emitter();
  readonly learned = new Emitter();
  readonly #options: TeamVaultOptions;
  /** Decrypted values, including replaced and removed ones: a running server may have been started with them. */
  readonly #values = new Set<string>();
  /** Time of each secret's last change as last read, in ms since 1970. */
  #known: ReadonlyMap<string, number> | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: TeamVaultOptions) {
    this.#options = options;
  }

  get setWith(): string {
    return `tooltray team secret set${this.#options.owner === organisation ? '' : ' --user NAME'}`;
  }

  get setUsersWith(): string {
    return 'tooltray team secret set --user NAME';
  }

  get values(): readonly string[] {
    return [...this.#values, ...this.#options.beside()];
  }

  async read(name: string): Promise<string | undefined> {
    this.#known ??= await this.#times();
    const row = await this.#row(name);
    return row && this.#open(row);
  }

  async names(start: string): Promise<readonly { readonly name: string; readonly changedAt: number }[]> {
    const times = await this.#times();
    return [...times].flatMap(([name, at]) => (name.startsWith(start) ? [{ name, changedAt: Math.round(at) }] : []));
  }

  async write(name: string, value: string): Promise<void> {
    await this.update(name, () => Promise.resolve(value));
    if ((await this.read(name)) === value) return;
    throw new AppError('secret_locked', `The vault could not store ${shown(name)}.`, { fix: 'Try again.' });
  }

  async ensure(name: string, make: () => string): Promise<string> {
    const there = await this.read(name);
    return there ?? (await this.update(name, (value) => Promise.resolve(value ?? make()))) ?? '';
  }

  async remove(name: string): Promise<boolean> {
    return (await this.take(name)) !== undefined;
  }

  /**
   * Removes and returns a value; only one of several concurrent callers gets it. Rejects with AppError `secret_locked`
   * if it cannot be decrypted, but removes it nevertheless.
   */
  async take(name: string): Promise<string | undefined> {
    const { owner, sql } = this.#options;
    const row = await sql
      .begin(async (work) => {
        const [gone] = await work<Row[]>`
          DELETE FROM tooltray.secrets WHERE owner = ${owner} AND name = ${name}
          RETURNING owner, name, sealed`;
        if (gone !== undefined) await notifyChange(work, topicOf(owner));
        return gone;
      })
      .catch(rethrow);
    if (row !== undefined) await this.onChange();
    return row && this.#open(row);
  }

  /**
   * Stores the result of `change` on a value and returns it; undefined deletes it. No other replica changes it
   * meanwhile. Rejects with AppError, or what `change` threw.
   */
  async update(name: string, change: Change): Promise<string | undefined> {
    const { held } = this.#options;
    if (!(await held.acquire(AbortSignal.timeout(waitMs)))) throw busy();
    let from: string | undefined;
    let making: Promise<string | undefined> | undefined;
    try {
      return await this.#change(name, (before) => {
        from = before;
        making = change(before);
        return making;
      });
    } catch (error) {
      if (making === undefined || !isPassing(error)) return rethrow(error);
      // A refreshed token invalidates the old one, so it must be stored even if the connection was lost.
      const to = await making;
      return to === from ? to : await this.#keepAnyway(name, (now) => Promise.resolve(now === from ? to : now));
    } finally {
      held.release();
    }
  }

  /** Deletes values with this name prefix that are older, in ms. */
  async sweep(start: string, olderMs: number): Promise<void> {
    const { owner, sql } = this.#options;
    await sql`
      DELETE FROM tooltray.secrets WHERE owner = ${owner} AND starts_with(name, ${start})
      AND changed_at < clock_timestamp() - ${olderMs} * interval '1 millisecond'`.catch(rethrow);
  }

  /** Deletes all secrets of this owner. */
  async erase(): Promise<void> {
    const { owner, sql } = this.#options;
    await sql
      .begin(async (work) => {
        await work`DELETE FROM tooltray.secrets WHERE owner = ${owner}`;
        await notifyChange(work, topicOf(owner));
      })
      .catch(rethrow);
    await this.onChange();
  }

  async status(): Promise<VaultStatus> {
    try {
      await this.#requireKey();
      const sentence = 'Secrets are encrypted in the database with the team key.';
      return { state: 'open', place: undefined, sentence, sealed: 0 };
    } catch (error) {
      const { text } = databaseError(error) as Partial<AppError>;
      return { state: 'locked', place: undefined, sentence: text ?? 'Cannot read the team vault.', sealed: 0 };
    }
  }

  unlock(): Promise<void> {
    return Promise.reject(new AppError('not_allowed', 'Team vaults do not use a passphrase.'));
  }

  placeKey(): Promise<void> {
    return Promise.reject(
      new AppError('unsupported', 'The team vault uses the team key, which is configured on every replica.', {
        fix: 'To rotate it, put a new key first in TOOLTRAY_TEAM_KEYS_FILE and restart the replicas.',
      }),
    );
  }

  /** Emits each change once, made here or by another replica. Never rejects. */
  onChange(): Promise<void> {
    // Sequential, so that an older read does not overwrite a newer one.
    this.#refreshing = this.#refreshing.then(() => this.#refresh()).catch(() => undefined);
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const before = this.#known;
    const now = await this.#times();
    this.#known = now;
    const names = before === undefined ? [] : [...new Set([...before.keys(), ...now.keys()])];
    const changed = names.filter((name) => before?.get(name) !== now.get(name));
    if (changed.length > 0) this.changed.emit(changed);
  }

  async #change(name: string, change: Change): Promise<string | undefined> {
    const { owner, sql } = this.#options;
    this.#known ??= await this.#times();
    const answer = await beginLong(sql, async (work, outside) => {
      // Also works if there is no row to lock yet.
      await lockSequentially(work, aboutOf(owner, name));
      const [row] = await work<Row[]>`
        SELECT owner, name, sealed FROM tooltray.secrets
        WHERE owner = ${owner} AND name = ${name} FOR UPDATE`;
      const before = row && this.#open(row);
      const next = await outside(change(before));
      if (next === before) return { next, isSame: true };
      if (next === undefined) {
        await work`
          DELETE FROM tooltray.secrets WHERE owner = ${owner} AND name = ${name}`;
      } else {
        const sealed = this.#options.keys.seal(checked(name, next), aboutOf(owner, name));
        await work`
          INSERT INTO tooltray.secrets (owner, name, sealed, changed_at)
          VALUES (${owner}, ${name}, ${sealed}, clock_timestamp())
          ON CONFLICT (owner, name)
          DO UPDATE SET sealed = excluded.sealed, changed_at = excluded.changed_at`;
      }
      await notifyChange(work, topicOf(owner));
      return { next, isSame: false };
    });
    if (!answer.isSame) await this.onChange();
    return answer.next;
  }

  async #keepAnyway(name: string, change: Change): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#change(name, change);
      } catch (error) {
        if (attempt >= maxAttempts || !isPassing(error)) return rethrow(error);
        await sleep(retryDelayMs * attempt);
      }
    }
  }

  async #row(name: string): Promise<Row | undefined> {
    const { owner, sql } = this.#options;
    const [row] = await sql<Row[]>`
      SELECT owner, name, sealed FROM tooltray.secrets
      WHERE owner = ${owner} AND name = ${name}`.catch(rethrow);
    return row;
  }

  /** Rejects with AppError `secret_locked` if the team keys do not decrypt the stored data, `store_unreachable`. */
  async #requireKey(): Promise<void> {
    const { keys, sql } = this.#options;
    const [row] = await sql<Row[]>`SELECT owner, name, sealed FROM tooltray.secrets LIMIT 1`.catch(rethrow);
    if (row !== undefined) keys.open(row.sealed, aboutOf(row.owner, row.name));
  }

  #open({ owner, name, sealed }: Row): string {
    const value = this.#options.keys.open(sealed, aboutOf(owner, name));
    if (name.startsWith(serverSecretPrefix) && !this.#values.has(value)) {
      this.#values.add(value);
      this.learned.emit();
    }
    return value;
  }

  async #times(): Promise<ReadonlyMap<string, number>> {
    const { owner, sql } = this.#options;
    const rows = await sql<{ name: string; at: number }[]>`
      SELECT name, extract(epoch FROM changed_at)::float8 * 1000 AS at FROM tooltray.secrets
      WHERE owner = ${owner} ORDER BY name COLLATE "C"`.catch(rethrow);
    return new Map(rows.map(({ name, at }) => [name, at]));
  }
}

/**
 * Waits in several statements, each below the statement timeout; a longer one would count as an unresponsive database.
 */
async function lockSequentially(work: TransactionSql, about: string): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      await work.savepoint((turn) => turn`SELECT pg_advisory_xact_lock(hashtextextended(${about}, 0))`);
      return;
    } catch (error) {
      if (!isEnded(error) || performance.now() > until) throw error;
    }
  }
}

/**
 * A transaction that waits for an external response: with `outside`, after which nothing is written to a connection
 * that was
 * lost meanwhile. The caller has been told by then, and the client would end the process (postgres 3.4, connection.js,
 * `nextWrite`).
 */
function beginLong<T>(
  sql: Sql,
  work: (held: TransactionSql, outside: <V>(waited: Promise<V>) => Promise<V>) => Promise<T>,
): Promise<Awaited<T>> {
  let isLost = false;
  const never = new Promise<never>(() => undefined);
  const outside = <V>(waited: Promise<V>): Promise<V> =>
    waited.then(
      (value) => (isLost ? never : value),
      (error: unknown) => (isLost ? never : Promise.reject(error as Error)),
    );
  const done = sql.begin((held) => work(held, outside)) as Promise<Awaited<T>>;
  done.catch(() => (isLost = true));
  return done;
}

type Change = (value: string | undefined) => Promise<string | undefined>;

const maxAttempts = 8;
const retryDelayMs = 250;

const topics = 'secrets/';

function topicOf(owner: string): string {
  return `${topics}${owner}`;
}

function aboutOf(owner: string, name: string): string {
  return JSON.stringify(['tooltray secret', owner, name]);
}

function checked(name: string, value: string): string {
  if (Buffer.byteLength(value) <= maxValueBytes) return value;
  throw new AppError('not_allowed', `The value of ${shown(name)} is too long.`);
}

/** Display name of a secret. */
function shown(name: string): string {
  return name.startsWith(serverSecretPrefix)
    ? `the secret ${name.slice(serverSecretPrefix.length)}`
    : 'a sign-in or key';
}

/** A temporary failure (lost connection, deadlock), not caused by the request. */
function isPassing(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  const isUnreachable = (databaseError(error) as Partial<AppError>).code === 'store_unreachable';
  return isUnreachable || code === '40P01' || code === '40001';
}

function rethrow(error: unknown): never {
  // Another replica holds the row.
  throw isEnded(error) ? busy() : databaseError(error);
}

/** Cancelled by the server because of the timeout (query_canceled). */
function isEnded(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === '57014';
}

function busy(): AppError {
  return new AppError('server_unreachable', 'Another replica is still refreshing the token.');
}
