/**
 * What each replica tells all others of itself, in the database: a row for each thing, written when it changes. Replicas that are there are
 * read, by a notice or after a while; rows of those that are gone go with the next that somebody writes.
 */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import { Event } from '../../core/base/events.ts';
import type { Log } from '../../core/base/log.ts';
import { seal, unseal } from '../../core/secrets/sealing.ts';
import { announce, type Changes } from '../database/changes.ts';
import { databaseError } from '../database/database.ts';
import type { ReplicaRegistry } from './replica-registry.ts';

export interface ReplicaRow {
  readonly replica: string;
  readonly name: string;
  readonly value: string;
  /** ms since 1970, by the database's clock. */
  readonly since: number;
}

/** Where such rows come from and go. */
export interface ReplicaRowsRoom {
  readonly tenant: string;
  /** The tenant's connections. */
  readonly sql: Sql;
  readonly changes: Pick<Changes, 'changed'>;
  /** undefined: it is the only one, and writes nothing. */
  readonly registry: Pick<ReplicaRegistry, 'id' | 'otherFronts' | 'gone' | 'lapsed'> | undefined;
  readonly log: Pick<Log, 'warn'>;
}

interface ReplicaRowsParts extends ReplicaRowsRoom {
  /** With the columns that name a row and say what there is. */
  readonly table: { readonly name: string; readonly key: string; readonly value: string };
  /** Told to the others. */
  readonly topic: string;
  /** How long several changes are waited for, in ms. */
  readonly gatherMs: number;
  /** All there is to tell here now, by name. */
  readonly here: () => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  /** In the log: `How servers are`. */
  readonly what: string;
  /** Seals what is told with the first, opens with all; absent: it is told openly. */
  readonly ring?: readonly Buffer[];
}

/** What was read is told for so long where no notice came, in ms. */
const freshMs = 5_000;

export class ReplicaRows {
  /** At one of the other replicas something is not as it was. */
  readonly changed = new Event();
  readonly #parts: ReplicaRowsParts;
  /** What was written, by name. */
  readonly #told = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  #read: { readonly at: number; readonly rows: Promise<readonly ReplicaRow[]> } | undefined;
  /** There may be rows of replicas that are gone. */
  #mayBeLeft = true;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(parts: ReplicaRowsParts) {
    this.#parts = parts;
    const { changes, registry, tenant, topic } = parts;
    if (registry === undefined) return;
    this.#stops.push(
      changes.changed.on((change) => {
        if (change.tenant === tenant && change.topic === topic) this.#forget();
      }),
      registry.gone.on(() => {
        this.#forget();
        this.#mayBeLeft = true;
        this.lookSoon();
      }),
      // The others have taken it for gone, and its rows with it.
      registry.lapsed.on(() => {
        this.#told.clear();
        this.lookSoon();
      }),
    );
    this.lookSoon();
  }

  /** Ids of the replicas that take client apps, this one first; of the only one ''. */
  get fronts(): readonly string[] {
    const { registry } = this.#parts;
    return registry === undefined ? [''] : [registry.id, ...registry.otherFronts.map(({ id }) => id)];
  }

  /**
   * Of all replicas that are there, as they wrote it: this one's are behind what it has. What another one sealed with a key that this one does not
   * have is left out. Rejects with AppError store_unreachable.
   */
  async rows(): Promise<readonly ReplicaRow[]> {
    if (this.#parts.registry === undefined) return [];
    const [rows, fronts] = [await this.#readAll(), new Set(this.fronts)];
    return rows.filter(({ replica }) => fronts.has(replica));
  }

  /** Something here may be another one. */
  lookSoon(): void {
    if (this.#isStopped || this.#parts.registry === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // One after the other; what fails is tried with the next change.
      this.#working = this.#working
        .then(() => this.#write())
        .catch((error: unknown) =>
          this.#parts.log.warn(`${this.#parts.what} was not told to other replicas: ${errorText(error)}`),
        );
    }, this.#parts.gatherMs).unref();
  }

  /** Takes its rows back. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
    clearTimeout(this.#timer);
    await this.#working;
    const { registry, sql, table, tenant, topic } = this.#parts;
    if (registry === undefined) return;
    const takeBack = sql.begin(async (work) => {
      await work`DELETE FROM ${work(`tooltray.${table.name}`)} WHERE tenant = ${tenant} AND replica = ${registry.id}`;
      await announce(work, tenant, topic);
    });
    // Else they go with the next that another replica writes.
    await takeBack.catch(() => undefined);
  }

  #readAll(): Promise<readonly ReplicaRow[]> {
    if (this.#read === undefined || Date.now() - this.#read.at > freshMs) {
      const { sql, table, tenant } = this.#parts;
      const rows = sql<ReplicaRow[]>`
        SELECT replica, ${sql(table.key)} AS name, ${sql(table.value)} AS value,
          extract(epoch FROM since)::float8 * 1000 AS since
        FROM ${sql(`tooltray.${table.name}`)} WHERE tenant = ${tenant} ORDER BY 1, 2`.catch(rethrow);
      const opened = rows.then((all) => all.flatMap((row) => this.#opened(row) ?? []));
      this.#read = { at: Date.now(), rows: opened };
      opened.catch(() => (this.#read = undefined));
    }
    return this.#read.rows;
  }

  /** Sealed for its place: in another one it opens nothing. */
  #sealed(replica: string, name: string, value: string): string {
    const { ring, table, tenant } = this.#parts;
    const [key] = ring ?? [];
    return key === undefined ? value : seal(key, value, JSON.stringify([table.name, tenant, replica, name]));
  }

  #opened(row: ReplicaRow): ReplicaRow | undefined {
    const { ring, table, tenant } = this.#parts;
    if (ring === undefined) return row;
    const about = JSON.stringify([table.name, tenant, row.replica, row.name]);
    for (const key of ring) {
      const value = unseal(key, row.value, about);
      if (value !== undefined) return { ...row, value };
    }
    return undefined;
  }

  #forget(): void {
    this.#read = undefined;
    this.changed.emit();
  }

  /** What is another than it was, and of replicas that are gone nothing any more. */
  async #write(): Promise<void> {
    const { here, registry, sql, table, tenant, topic } = this.#parts;
    if (registry === undefined) return;
    const now = await here();
    const rows = [...now].flatMap(([name, value]) =>
      this.#told.get(name) === value
        ? []
        : [{ tenant, replica: registry.id, [table.key]: name, [table.value]: this.#sealed(registry.id, name, value) }],
    );
    const left = [...this.#told.keys()].filter((name) => !now.has(name));
    if (rows.length + left.length === 0 && !this.#mayBeLeft) return;
    this.#mayBeLeft = false;
    const place = sql(`tooltray.${table.name}`);
    const [key, value] = [sql(table.key), sql(table.value)];
    await sql.begin(async (work) => {
      const swept = await work`
        DELETE FROM ${place} WHERE (tenant, replica, ${key}) IN (
          SELECT tenant, replica, ${key} FROM ${place} told WHERE tenant = ${tenant}
            AND (replica = ${registry.id} AND ${key} = ANY(${left}) OR replica <> ${registry.id} AND NOT EXISTS (
              SELECT FROM tooltray.replicas WHERE id = told.replica AND until > now()))
          FOR UPDATE SKIP LOCKED) RETURNING replica`;
      if (rows.length > 0)
        await work`
          INSERT INTO ${place} ${work(rows)}
          ON CONFLICT (tenant, replica, ${key}) DO UPDATE SET ${value} = ${sql(`excluded.${table.value}`)}, since = now()`;
      if (rows.length + swept.length > 0) await announce(work, tenant, topic);
    });
    for (const [name, value] of now) this.#told.set(name, value);
    for (const name of left) this.#told.delete(name);
  }
}

export function rethrow(error: unknown): never {
  throw databaseError(error);
}
