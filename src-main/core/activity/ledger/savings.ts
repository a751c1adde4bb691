/** What the ledger answers: sums by what was asked for, the net, and from when on Tooltray pays for itself. */
import type { Amounts, Cause } from './entry.ts';

export type SavingsKey = 'session' | 'app' | 'server' | 'tool' | 'day' | 'cause' | 'mode';

export interface SavingsQuestion {
  /** Only from then on, in ms since the epoch: to the hour in the last seven days, to the day before. */
  readonly since?: number | undefined;
  /** What the rows are for; `cause` unless given. */
  readonly by?: SavingsKey | undefined;
  /** Only what concerns this client app. */
  readonly app?: string | undefined;
}

/** All in tokens. */
export interface SavingsSums {
  /** Lists and instructions that apps would have loaded without Tooltray. */
  readonly baseline: number;
  /** What they loaded of Tooltray's own: lists, instructions, discovery, helper texts. */
  readonly spent: number;
  /** What servers answered, as they sent it. */
  readonly raw: number;
  /** What the apps were given of it. */
  readonly given: number;
  /** What they read of kept answers later. */
  readonly readBack: number;
  /** baseline − spent + raw − given − readBack; may be negative. */
  readonly net: number;
  /** Everything that crossed the apps' lines. */
  readonly sent: number;
  /** Share of sent, baseline and raw that is an estimate, 0 to 1. */
  readonly estimatedShare: number;
  /** Tool calls that were answered. */
  readonly calls: number;
}

export interface SavingsRow extends SavingsSums {
  /** Of a tool `server:tool`; empty for what is no server's or no tool's. */
  readonly key: string;
  /** Of a session: its app. */
  readonly app?: string;
}

export interface BreakEven {
  /** The net is not negative. */
  readonly reached: boolean;
  /** Look-ups that were made, and how many what the lists save pays for; undefined: none was made, or lists save nothing. */
  readonly searches: number;
  readonly affordable: number | undefined;
}

export interface SavingsReport {
  readonly by: SavingsKey;
  /** Most net first; days in their order. */
  readonly rows: readonly SavingsRow[];
  readonly causes: readonly SavingsRow[];
  readonly total: SavingsSums;
  readonly breakEven: BreakEven;
  readonly tokenizer: string;
  /** How it was counted, a sentence each. */
  readonly assumptions: readonly string[];
}

/** A sum over the table for one key and cause. */
export interface CauseSum extends Amounts {
  readonly key: string;
  readonly app: string | undefined;
  readonly cause: Cause;
}

const spending: ReadonlySet<Cause> = new Set(['lists', 'instructions', 'discovery', 'helpers']);
const giving: ReadonlySet<Cause> = new Set(['results', 'code']);

export function toRows(sums: readonly CauseSum[], by: SavingsKey): readonly SavingsRow[] {
  const rows = [...Map.groupBy(sums, ({ key }) => key)].map(([key, parts]): SavingsRow => {
    const app = parts[0]?.app;
    return { key, ...(app !== undefined && { app }), ...addUp(parts) };
  });
  return rows.sort(by === 'day' ? (a, b) => (a.key < b.key ? -1 : 1) : (a, b) => b.net - a.net);
}

export function addUp(parts: readonly CauseSum[]): SavingsSums {
  const total = (of: (part: CauseSum) => number): number => parts.reduce((sum, part) => sum + of(part), 0);
  const loaded = (isMeant: (cause: Cause) => boolean): number =>
    total((part) => (isMeant(part.cause) ? part.loaded : 0));
  const [baseline, raw, sent] = [total((part) => part.baseline), total((part) => part.raw), total((part) => part.sent)];
  const spent = loaded((cause) => spending.has(cause));
  const given = loaded((cause) => giving.has(cause));
  const readBack = loaded((cause) => cause === 'readback');
  const counted = baseline + raw + sent;
  return {
    baseline,
    spent,
    raw,
    given,
    readBack,
    net: baseline - spent + raw - given - readBack,
    sent,
    estimatedShare: counted === 0 ? 0 : total((part) => part.estimated) / counted,
    calls: total((part) => (giving.has(part.cause) ? part.times : 0)),
  };
}

export function breakEvenOf(sums: readonly CauseSum[], net: number): BreakEven {
  const of = (...causes: readonly Cause[]): readonly CauseSum[] => sums.filter(({ cause }) => causes.includes(cause));
  const lists = addUp(of('lists', 'instructions'));
  const searches = of('discovery').reduce((sum, { times }) => sum + times, 0);
  // Whoever has to look a tool up has to call it through something, too.
  const each = addUp(of('discovery', 'helpers')).spent / searches;
  const saved = lists.baseline - lists.spent;
  return {
    reached: net >= 0,
    searches,
    affordable: searches === 0 || saved <= 0 ? undefined : Math.floor(saved / each),
  };
}
