/**
 * Rows by which replicas know of each other: each writes its own every few seconds, with the status of its servers,
 * and reads the others'. They are only used for status, not for forwarding. All times are the database's.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { ManagedServer, ServerManager } from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import type { Log } from '../../core/base/log.ts';
import type { ServerStatus } from '../../rpc/contract.ts';
import { rethrowDatabaseError } from '../database/database.ts';

/** One server on one replica. */
export interface ServerState extends Pick<ServerStatus, 'state' | 'level' | 'summary' | 'detail' | 'tools'> {
  /** Time of the last change, in ms since 1970. */
  readonly since: number;
  /** Users whose own process of it runs there. */
  readonly users: number;
}

export interface ReplicaState {
  /** Changes with each start. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** It is about to stop. */
  readonly isDraining: boolean;
  /** Digest of its config (`ConfigStore.version`). */
  readonly config: string;
  readonly servers: Readonly<Record<string, ServerState>>;
}

interface HeartbeatOptions {
  readonly sql: Sql;
  readonly name: string;
  readonly version: string;
  readonly config: () => string;
  readonly servers: () => Pick<ServerManager, 'all' | 'changed'>;
  /** Number of users with a process of each server here. */
  readonly users: () => ReadonlyMap<string, number>;
  /** Masks secrets in a text. */
  readonly mask: (text: string) => string;
  readonly log: Pick<Log, 'warn'>;
  readonly intervalMs?: number | undefined;
}

const defaultIntervalMs = 5_000;
/** Age in seconds after which a replica is not shown; it may have missed a few beats. */
const staleSeconds = 20;
/** A starting server passes several states quickly, in ms. */
const debounceMs = 500;
const maxDetail = 1_000;

export class Heartbeat {
  readonly id: string;
  /** Emits when a replica joined, left or changed its published data. */
  readonly changed = new Emitter();
  readonly #options: HeartbeatOptions;
  readonly #stopping = new AbortController();
  readonly #since = new Map<string, { readonly text: string; readonly at: number }>();
  #others: readonly ReplicaState[] = [];
  #isDraining = false;
  #isAway = false;
  #running: Promise<void> = Promise.resolve();
  #early = new AbortController();
  #unfollow: () => void = () => undefined;

  /** Throws AppError `bad_request` for an invalid name. */
  constructor(options: HeartbeatOptions) {
    if (!/^[a-z0-9-]{1,40}$/.test(options.name))
      throw new AppError('bad_request', `${JSON.stringify(options.name)} is not a valid replica name.`, {
        fix: 'Use up to 40 lowercase letters, digits, and hyphens.',
      });
    this.#options = options;
    this.id = `${options.name}_${randomInt(36 ** 6)
      .toString(36)
      .padStart(6, '0')}`;
  }

  /** The other replicas, as last read. */
  get others(): readonly ReplicaState[] {
    return this.#others;
  }

  /** All replicas, this one first with its current state. */
  get all(): readonly ReplicaState[] {
    return [this.#own(), ...this.#others];
  }

  /** Rejects with AppError `store_unreachable`. */
  async start(): Promise<void> {
    await this.#beat().catch(rethrowDatabaseError);
    this.#unfollow = this.#options.servers().changed.on(() => this.#early.abort());
    this.#running = this.#goOn();
  }

  drain(): void {
    this.#isDraining = true;
    this.#early.abort();
  }

  /** Removes its row. Never rejects. */
  async stop(): Promise<void> {
    this.#unfollow();
    this.#stopping.abort();
    await this.#running;
    const { sql } = this.#options;
    // Otherwise it becomes stale.
    await sql`DELETE FROM tooltray.replicas WHERE id = ${this.id}`.catch(() => undefined);
  }

  async #goOn(): Promise<void> {
    const { log } = this.#options;
    while (await this.#nextBeat()) {
      try {
        await this.#beat();
        this.#isAway = false;
      } catch (error) {
        if (!this.#isAway) log.warn(`The database is not responding: ${errorText(error)}`);
        this.#isAway = true;
      }
    }
  }

  /** Waits for the interval, or shortly after a change. False when stopped. */
  async #nextBeat(): Promise<boolean> {
    const { intervalMs = defaultIntervalMs } = this.#options;
    const { signal } = this.#stopping;
    const wait = (ms: number, until: AbortSignal): Promise<unknown> =>
      sleep(ms, undefined, { signal: until, ref: false }).catch(() => undefined);
    await wait(intervalMs, AbortSignal.any([signal, this.#early.signal]));
    if (this.#early.signal.aborted) await wait(debounceMs, signal);
    this.#early = new AbortController();
    return !signal.aborted;
  }

  async #beat(): Promise<void> {
    const { sql } = this.#options;
    const { id, name, version, isDraining, config, servers } = this.#own();
    const others = await sql<ReplicaState[]>`
      WITH own AS (
        INSERT INTO tooltray.replicas (id, name, version, draining, config, servers)
        VALUES (${id}, ${name}, ${version}, ${isDraining}, ${config}, ${sql.json(servers as never)})
        ON CONFLICT (id) DO UPDATE SET draining = excluded.draining, config = excluded.config,
          servers = excluded.servers, seen = now()
      ), old AS (DELETE FROM tooltray.replicas WHERE seen < now() - interval '1 day')
      SELECT id, name, version, draining AS "isDraining", config, servers FROM tooltray.replicas
      WHERE id <> ${id} AND seen > now() - ${staleSeconds} * interval '1 s' ORDER BY id`;
    const isSame = JSON.stringify(others) === JSON.stringify(this.#others);
    this.#others = [...others];
    if (!isSame) this.changed.emit();
  }

  #own(): ReplicaState {
    const { config, name, users, servers, version } = this.#options;
    const running = users();
    const states = servers().all.map((server) => {
      const key = server.config.name;
      const state = { ...this.#stateOf(server), users: running.get(key) ?? 0 };
      const text = JSON.stringify(state);
      const known = this.#since.get(key);
      const since = known?.text === text ? known : { text, at: Date.now() };
      this.#since.set(key, since);
      return [key, { ...state, since: since.at }] as const;
    });
    return {
      id: this.id,
      name,
      version,
      isDraining: this.#isDraining,
      config: config(),
      servers: Object.fromEntries(states),
    };
  }

  /** Without fields that change by themselves every second. */
  #stateOf({ health, listing, state }: ManagedServer): Omit<ServerState, 'since' | 'users'> {
    const { level, summary, detail } = health;
    const cause = 'error' in state && state.error !== undefined ? state.error.text : level === 'busy' ? '' : detail;
    return {
      state: state.kind,
      level,
      summary: summary.replace(/ \d+ s$/, ''),
      tools: listing.tools.length,
      detail: this.#options.mask(cause).slice(0, maxDetail),
    };
  }
}
