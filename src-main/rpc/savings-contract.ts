/** What the savings ledger is asked, and what it answers. Types only. */
import type { SavingsQuestion, SavingsReport } from '../core/activity/ledger/savings.ts';

export type {
  BreakEven,
  SavingsKey,
  SavingsQuestion,
  SavingsReport,
  SavingsRow,
  SavingsSums,
} from '../core/activity/ledger/savings.ts';

/** What the net is worth, where the person has set a price. */
export interface SavingsPrice {
  readonly perMillionTokens: number;
  readonly currency: string;
  readonly net: number;
}

export interface PricedSavings extends SavingsReport {
  readonly price?: SavingsPrice;
}

export interface SavingsContract {
  savings: { input: SavingsQuestion; output: PricedSavings };
}
