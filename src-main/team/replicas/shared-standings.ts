/** How servers are at each replica, as all of them tell it; beside it who runs people's own processes. */
import type { Event } from '../../core/base/events.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import type { ServerManager } from '../../core/servers/server-manager.ts';
import type { ServerStatus } from '../../rpc/contract.ts';
import { ReplicaRows, type ReplicaRowsRoom, rethrow } from './replica-rows.ts';

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

interface SharedStandingsParts extends ReplicaRowsRoom {
  readonly servers: Pick<ServerManager, 'all' | 'changed'>;
  /** Takes secrets out of a cause. */
  readonly mask: (text: string) => string;
}

/** A server that starts goes through several states at once, in ms. */
const gatherMs = 500;
/** What was counted is told for so long, in ms. */
const freshMs = 5_000;
/** Of a cause, in characters. */
const longestDetail = 1_000;

export class SharedStandings {
  /** At one of the other replicas a server is not as it was. */
  readonly changed: Event;
  readonly #parts: SharedStandingsParts;
  readonly #rows: ReplicaRows;
  readonly #stopFollowing: () => void;
  #counted: { readonly at: number; readonly rows: Promise<readonly RunnerRow[]> } | undefined;

  constructor(parts: SharedStandingsParts) {
    this.#parts = parts;
    const { servers } = parts;
    this.#rows = new ReplicaRows({
      ...parts,
      table: { name: 'server_states', key: 'server', value: 'standing' },
      ...{ topic: 'server states', gatherMs, what: 'How servers are' },
      here: () => new Map(servers.all.map((one) => [one.config.name, JSON.stringify(this.#standing(one))])),
    });
    this.changed = this.#rows.changed;
    this.#stopFollowing = servers.changed.on(() => this.#rows.lookSoon());
  }

  /** Ids of the replicas that take client apps, this one first; of the only one ''. */
  get fronts(): readonly string[] {
    return this.#rows.fronts;
  }

  /** Of the replicas that are there, this one's as they are now. Rejects with AppError store_unreachable. */
  async rows(): Promise<readonly StandingRow[]> {
    const { registry, servers } = this.#parts;
    if (registry === undefined) return [];
    const { id: replica } = registry;
    const read = await this.#rows.rows();
    const since = new Map(read.flatMap((row) => (row.replica === replica ? [[row.name, row.since]] : [])));
    const here = servers.all.map((server) => {
      const { name } = server.config;
      return { server: name, replica, since: since.get(name) ?? 0, ...this.#standing(server) };
    });
    const others = read.filter((row) => row.replica !== replica);
    return [
      ...here,
      ...others.map(({ name: server, value, ...row }) => ({ server, ...row, ...(JSON.parse(value) as Standing) })),
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
  stop(): Promise<void> {
    this.#stopFollowing();
    return this.#rows.stop();
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
