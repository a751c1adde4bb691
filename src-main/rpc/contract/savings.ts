/** Requests about saved tokens: the ledger and the charts. */
import { z } from 'zod';
import type { Annotation } from '../../core/activity/annotations.ts';
import type { ServerLatency } from '../../core/activity/call-charts.ts';
import type { SavingsReport } from '../../core/activity/ledger/ledger-table.ts';
import type { CallSummary } from './activity.ts';
import { count, maybe, name, type Methods } from './fields.ts';

export type { Annotation } from '../../core/activity/annotations.ts';
export type { ServerLatency } from '../../core/activity/call-charts.ts';
export type {
  BreakEven,
  SavingsKey,
  SavingsQuery,
  SavingsReport,
  SavingsRow,
  SavingsTotals,
} from '../../core/activity/ledger/ledger-table.ts';

const savingsPeriod = z.enum(['today', 'week', 'month', 'all']);
export type SavingsPeriod = z.output<typeof savingsPeriod>;

export interface SavingsOverview {
  readonly periods: Readonly<Record<SavingsPeriod, SavingsSummary>>;
  readonly tokenizer: string;
  /** Assumptions of the calculation, a sentence each. */
  readonly assumptions: readonly string[];
  readonly pricePerMillion: number | undefined;
  readonly currency: string;
}

export interface SavingsSummary {
  /** Start of the period, in ms since the epoch; undefined: all records. */
  readonly since: number | undefined;
  /** Tokens that apps would have read without Tooltray. */
  readonly withoutTooltray: number;
  /** Tokens that apps did read. */
  readonly withTooltray: number;
  /** Tokens without the apps' own result limits; never less than `withoutTooltray`. */
  readonly uncapped: number;
  /** May be negative. */
  readonly net: number;
  /** Estimated share of all tokens, 0 to 1. */
  readonly estimatedShare: number;
  readonly causes: readonly { readonly cause: string; readonly net: number }[];
}

/** Price of the net savings, if the user has configured one. */
export interface SavingsPrice {
  readonly perMillionTokens: number;
  readonly currency: string;
  readonly net: number;
}

export interface PricedSavings extends SavingsReport {
  readonly price?: SavingsPrice;
}

/** One step of a chart, in ms since 1970; `until` is exclusive. Tokens as in `SavingsSummary`, calls by outcome. */
export interface ChartStep extends Readonly<Record<CallSummary['outcome'], number>> {
  readonly from: number;
  readonly until: number;
  readonly withoutTooltray: number;
  readonly withTooltray: number;
  readonly uncapped: number;
}

export interface Charts {
  readonly step: 'hour' | 'day' | 'week';
  /** Oldest first, including those without calls. */
  readonly steps: readonly ChartStep[];
  /** Slowest first. */
  readonly servers: readonly ServerLatency[];
  /** Number of calls measured; `isCut`: the newest of more. */
  readonly measured: number;
  readonly isCut: boolean;
  /** Starts of the core and changes of the mode. */
  readonly marks: readonly Annotation[];
}

/** Schemas of the inputs. */
export const savingsInputs = {
  savings: z.object({
    since: maybe(count),
    by: maybe(z.enum(['session', 'app', 'server', 'tool', 'hour', 'day', 'cause', 'mode'])),
    app: maybe(name),
  }),
  charts: z.object({ period: savingsPeriod }),
};

interface SavingsOutputs {
  savings: PricedSavings;
  charts: Charts;
}

export type SavingsMethods = Methods<typeof savingsInputs, SavingsOutputs>;
