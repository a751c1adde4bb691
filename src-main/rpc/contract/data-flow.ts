/** Requests about data-flow approvals. */
import type { DataFlowEvent, DataFlowSummary } from '../../core/trust/data-flow/data-flow-stats.ts';
import type { Nothing } from './nothing.ts';

export interface DataFlowEventRow extends DataFlowEvent {
  readonly appName: string;
}

export interface DataFlowOverview {
  readonly mode: 'off' | 'record' | 'ask';
  /** Since when it is counted. */
  readonly since: number;
  /** Calls of the last seven days by what became of them; `recorded`: let through, and would have been asked. */
  readonly week: DataFlowSummary['week'];
  /** A week was recorded: `ask` can be offered. */
  readonly canOfferApproval: boolean;
}

export interface DataFlowContract {
  /** Data-flow questions, asked or recorded, latest first; the last 100. */
  dataFlowEvents: {
    input: Nothing;
    output: Pick<DataFlowSummary, 'since' | 'week'> & {
      readonly last: readonly DataFlowEventRow[];
      readonly canOfferApproval: boolean;
    };
  };
  /** The person does not want `ask` offered again. */
  dismissDataFlowOffer: { input: Nothing; output: Nothing };
}
