/**
 * Dashboard queries over the activity of all replicas: savings, charts, calls. Results are cached briefly and shared
 * by viewers, so that millions of calls are not summed for each.
 */
import { buildReport, type CoreGroups, type SavingsQuery, type SavingsReport } from '../../core/edition.ts';
import { type ChartSources, drawCharts, groupedCalls, savingsOverview } from '../../rpc/edition.ts';
import type { AppState, Charts, SavingsPeriod } from '../../rpc/contract.ts';
import type { CallQueries, ServerDay } from '../activity/call-queries.ts';
import type { StepQueries } from '../activity/step-queries.ts';
import type { RowScope } from '../activity/call-conditions.ts';
import type { SavingsBy, SavingsQueries } from '../activity/savings-queries.ts';

interface TeamActivityCacheDeps {
  readonly ledger: Pick<SavingsQueries, 'sums'>;
  readonly pages: CallQueries;
  readonly steps: StepQueries;
  /** Names of users, by ID. Rejects with AppError `store_unreachable`. */
  readonly namesOf: (users: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

interface CachedQuery {
  readonly at: number;
  readonly answer: Promise<unknown>;
}

/** Cache lifetime in ms. */
const freshMs = 5_000;
const dayMs = 86_400_000;
/** Maximum age of hourly figures, in ms. */
const hoursMs = 92 * dayMs;
/** Maximum number of cached queries. */
const maxCachedQueries = 1_000;
const shownServers = 5;
/** Number of calls searched for different ones. */
const recentCalls = 100;

/** All methods reject with AppError `store_unreachable`. */
export class TeamActivityCache {
  readonly #parts: TeamActivityCacheDeps;
  readonly #queries = new Map<string, CachedQuery>();

  constructor(parts: TeamActivityCacheDeps) {
    this.#parts = parts;
  }

  async savings(whose: RowScope, { since, by = 'cause', app }: SavingsQuery): Promise<SavingsReport> {
    const asked: SavingsBy = by === 'hour' && (since ?? 0) < Date.now() - hoursMs ? 'day' : by;
    return buildReport(await this.#parts.ledger.sums(whose, asked, { since, app }), by);
  }

  /** Servers by the calls of the last day. */
  servers(whose: RowScope): Promise<readonly ServerDay[]> {
    return this.#cached('servers', whose, () => this.#parts.pages.servers(whose, Date.now() - dayMs));
  }

  savingsOverview(whose: RowScope, { context }: Pick<CoreGroups, 'context'>): Promise<AppState['savings']> {
    return this.#cached('savings', whose, () =>
      savingsOverview({ context }, (question) => this.savings(whose, question)),
    );
  }

  overview(whose: RowScope): Promise<AppState['activity']> {
    return this.#cached('overview', whose, async () => {
      const [newest, servers] = await Promise.all([this.#parts.pages.newest(whose, recentCalls), this.servers(whose)]);
      const costliest = servers.slice(0, shownServers).map(({ server, tokens, calls }) => ({ server, tokens, calls }));
      const recent = groupedCalls(await this.named(whose, newest));
      return { lastId: newest[0]?.id ?? 0, recent, costliest };
    });
  }

  /** Number of the newest step. */
  lastStep(whose: RowScope): Promise<number> {
    return this.#cached('last step', whose, () => this.#parts.steps.last(whose));
  }

  charts(whose: RowScope, period: SavingsPeriod): Promise<Charts> {
    const { pages } = this.#parts;
    const sources: ChartSources = {
      // Rounded to hours, which is correct in every time zone.
      savings: (asked) => this.savings(whose, asked.since === undefined ? asked : { ...asked, by: 'hour' }),
      outcomes: (since) => pages.outcomes(whose, since),
      latencies: (since, until) => pages.latencies(whose, since, until),
      // The start of one replica says nothing about the others.
      marks: async () => [],
    };
    return this.#cached(`charts ${period}`, whose, () => drawCharts(period, sources));
  }

  /** Adds names if the rows belong to several users; removes internal fields. */
  async named<R extends { readonly user: string | undefined; readonly callMs?: number }>(
    whose: RowScope,
    rows: readonly R[],
  ): Promise<readonly (Omit<R, 'user' | 'callMs'> & { readonly user?: string })[]> {
    const users = rows.flatMap(({ user }) => user ?? []);
    const names = whose === 'everybody' ? await this.namesOf(users) : new Map<string, string>();
    return rows.map(({ user, callMs: _callMs, ...row }) => {
      const name = names.get(user ?? '');
      return { ...row, ...(name !== undefined && { user: name }) };
    });
  }

  /** Names of users, by ID. */
  async namesOf(users: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return users.length === 0 ? new Map() : this.#parts.namesOf([...new Set(users)]);
  }

  #cached<T>(what: string, whose: RowScope, ask: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([what, whose]);
    const known = this.#queries.get(key);
    if (known !== undefined && Date.now() - known.at < freshMs) return known.answer as Promise<T>;
    const answer = ask();
    this.#queries.delete(key);
    this.#queries.set(key, { at: Date.now(), answer });
    // Failed queries are not cached.
    answer.catch(() => this.#queries.get(key)?.answer === answer && this.#queries.delete(key));
    const [oldest] = this.#queries.keys();
    if (this.#queries.size > maxCachedQueries && oldest !== undefined) this.#queries.delete(oldest);
    return answer;
  }
}
