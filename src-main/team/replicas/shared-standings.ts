/**
 * How servers are at each replica, in the database: a row for each, written when it changes. Pages read them of all replicas that are
 * there; rows of those that are gone go with the next that somebody writes. Beside it who runs people's own processes.
 */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import { Event } from '../../core/base/events.ts';
import type { Log } from '../../core/base/log.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import type { ServerManager } from '../../core/servers/server-manager.ts';
import type { ServerStatus } from '../../rpc/contract.ts';
import { announce, type Changes } from '../database/changes.ts';
import { databaseError } from '../database/database.ts';
import type { ReplicaRegistry } from './replica-registry.ts';

/** One server at one replica. */
export type Standing = Pick<ServerStatus, 'state' | 'level' | 'summary' | 'detail' | 'tools'>;

export interface StandingRow extends Standing {
  readonly replica: string;
  readonly server: string;
  /** ms since 1970, by the database's clock. */
  readonly since: number;
}

/** A process of somebody's own. */
export interface RunnerRow {
  readonly server: string;
  readonly runner: string;
  readonly people: number;
}

export interface SharedStandingsParts {
  readonly tenant: string;
  /** The tenant's connections. */
  readonly sql: Sql;
  readonly changes: Pick<Changes, 'changed'>;
  /** undefined: it is the only one, and writes nothing. */
  readonly registry: Pick<ReplicaRegistry, 'id' | 'otherFronts' | 'gone' | 'lapsed'> | undefined;
  readonly servers: Pick<ServerManager, 'all' | 'changed'>;
  /** Takes secrets out of a cause. */
  readonly mask: (text: string) => string;
  readonly log: Pick<Log, 'warn'>;
}

const topic = 'server states';
/** A server that starts goes through several states at once, in ms. */
const gatherMs = 500;
/** What was read is told for so long where no notice came, in ms. */
const freshMs = 5_000;
/** Of a cause, in characters. */
const longestDetail = 1_000;

export class SharedStandings {
  /** At one of the other replicas a server is not as it was. */
  readonly changed = new Event();
  readonly #parts: SharedStandingsParts;
  /** What was written of each server, as text. */
  readonly #told = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  #read: { readonly at: number; readonly rows: Promise<readonly StandingRow[]> } | undefined;
  #counted: { readonly at: number; readonly rows: Promise<readonly RunnerRow[]> } | undefined;
  /** There may be rows of replicas that are gone. */
  #mayBeLeft = true;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(parts: SharedStandingsParts) {
    this.#parts = parts;
    const { changes, registry, servers, tenant } = parts;
    if (registry === undefined) return;
    this.#stops.push(
      servers.changed.on(() => this.#lookSoon()),
      changes.changed.on((change) => {
        if (change.tenant === tenant && change.topic === topic) this.#forget();
      }),
      registry.gone.on(() => {
        this.#forget();
        this.#mayBeLeft = true;
        this.#lookSoon();
      }),
      // The others have taken it for gone, and its rows with it.
      registry.lapsed.on(() => {
        this.#told.clear();
        this.#lookSoon();
      }),
    );
    this.#lookSoon();
  }

  /** Ids of the replicas that take client apps, this one first; of the only one ''. */
  get fronts(): readonly string[] {
    const { registry } = this.#parts;
    return registry === undefined ? [''] : [registry.id, ...registry.otherFronts.map(({ id }) => id)];
  }

  /** Of the replicas that are there, this one's as they are now. Rejects with AppError store_unreachable. */
  async rows(): Promise<readonly StandingRow[]> {
    const { registry, servers } = this.#parts;
    if (registry === undefined) return [];
    const [own, ...others] = this.fronts;
    const here = servers.all.map((server) => ({ server: server.config.name, ...this.#standing(server) }));
    const read = await this.#readAll();
    const since = new Map(read.flatMap((row) => (row.replica === own ? [[row.server, row.since]] : [])));
    return [
      ...here.map((row) => ({ ...row, replica: registry.id, since: since.get(row.server) ?? 0 })),
      ...read.filter(({ replica }) => others.includes(replica)),
    ];
  }

  /** How many people's processes run, by server and runner. Rejects with AppError store_unreachable. */
  runners(): Promise<readonly RunnerRow[]> {
    if (this.#counted === undefined || Date.now() - this.#counted.at > freshMs) {
      const { sql, tenant } = this.#parts;
      const rows = sql<RunnerRow[]>`
        SELECT server, runner, count(*)::int AS people FROM tooltray.personal_leases
        WHERE tenant = ${tenant} AND until > clock_timestamp() GROUP BY 1, 2 ORDER BY 1, 2`.catch(rethrow);
      this.#counted = { at: Date.now(), rows };
      rows.catch(() => (this.#counted = undefined));
    }
    return this.#counted.rows;
  }

  /** One person's own. Rejects with AppError store_unreachable. */
  async runnersOf(user: string): Promise<readonly RunnerRow[]> {
    const { sql, tenant } = this.#parts;
    return sql<RunnerRow[]>`
      SELECT server, runner, 1 AS people FROM tooltray.personal_leases
      WHERE tenant = ${tenant} AND person = ${user} AND until > clock_timestamp() ORDER BY 1`.catch(rethrow);
  }

  /** Takes its rows back. Never rejects. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#timer);
    await this.#working;
    const { registry, sql, tenant } = this.#parts;
    if (registry === undefined) return;
    // Else they go with the next that another replica writes.
    await sql`DELETE FROM tooltray.server_states WHERE tenant = ${tenant} AND replica = ${registry.id}`.catch(
      () => undefined,
    );
  }

  #readAll(): Promise<readonly StandingRow[]> {
    if (this.#read === undefined || Date.now() - this.#read.at > freshMs) {
      const { sql, tenant } = this.#parts;
      const rows = sql<{ replica: string; server: string; standing: string; since: number }[]>`
        SELECT replica, server, standing, extract(epoch FROM since)::float8 * 1000 AS since
        FROM tooltray.server_states WHERE tenant = ${tenant} ORDER BY replica, server`
        .then((found) => found.map(({ standing, ...row }) => ({ ...row, ...(JSON.parse(standing) as Standing) })))
        .catch(rethrow);
      this.#read = { at: Date.now(), rows };
      rows.catch(() => (this.#read = undefined));
    }
    return this.#read.rows;
  }

  #forget(): void {
    this.#read = undefined;
    this.changed.emit();
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // One after the other; what fails is tried with the next change.
      this.#working = this.#working
        .then(() => this.#write())
        .catch((error: unknown) =>
          this.#parts.log.warn(`How servers are was not told to other replicas: ${errorText(error)}`),
        );
    }, gatherMs).unref();
  }

  /** What is another than it was, and of replicas that are gone nothing any more. */
  async #write(): Promise<void> {
    const { registry, servers, sql, tenant } = this.#parts;
    if (registry === undefined) return;
    const now = new Map(servers.all.map((one) => [one.config.name, JSON.stringify(this.#standing(one))]));
    const rows = [...now].flatMap(([server, standing]) =>
      this.#told.get(server) === standing ? [] : [{ tenant, replica: registry.id, server, standing }],
    );
    const left = [...this.#told.keys()].filter((server) => !now.has(server));
    if (rows.length + left.length === 0 && !this.#mayBeLeft) return;
    this.#mayBeLeft = false;
    await sql.begin(async (work) => {
      const swept = await work`
        DELETE FROM tooltray.server_states WHERE (tenant, replica, server) IN (
          SELECT tenant, replica, server FROM tooltray.server_states states WHERE tenant = ${tenant}
            AND (replica = ${registry.id} AND server = ANY(${left}) OR replica <> ${registry.id} AND NOT EXISTS (
              SELECT FROM tooltray.replicas WHERE id = states.replica AND until > now()))
          FOR UPDATE SKIP LOCKED) RETURNING replica`;
      if (rows.length > 0)
        await work`
          INSERT INTO tooltray.server_states ${work(rows)}
          ON CONFLICT (tenant, replica, server) DO UPDATE SET standing = excluded.standing, since = now()`;
      if (rows.length + swept.length > 0) await announce(work, tenant, topic);
    });
    for (const { server, standing } of rows) this.#told.set(server, standing);
    for (const server of left) this.#told.delete(server);
  }

  /** Without what changes by itself from second to second. */
  #standing({ health, listing, state }: ManagedServer): Standing {
    const { level, summary, detail } = health;
    const cause = 'error' in state && state.error !== undefined ? state.error.text : level === 'busy' ? '' : detail;
    return {
      ...{ state: state.kind, level, summary: summary.replace(/ \d+ s$/, ''), tools: listing.tools.length },
      detail: this.#parts.mask(cause).slice(0, longestDetail),
    };
  }
}

function rethrow(error: unknown): never {
  throw databaseError(error);
}
