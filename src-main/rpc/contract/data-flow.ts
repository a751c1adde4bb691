/** Requests about data-flow approvals. */
import { z } from 'zod';
import type { DataFlowEvent, DataFlowSummary } from '../../core/trust/data-flow/data-flow-stats.ts';
import { nothing, type Methods, type Nothing } from './fields.ts';

export const dataFlowMode = z.enum(['off', 'record', 'ask']);

export interface DataFlowEventRow extends DataFlowEvent {
  readonly appName: string;
}

export interface DataFlowOverview {
  readonly mode: z.output<typeof dataFlowMode>;
  /** Since when it is counted. */
  readonly since: number;
  /** Calls of the last seven days by what became of them; `recorded`: let through, and would have been asked. */
  readonly week: DataFlowSummary['week'];
  /** A week was recorded: `ask` can be offered. */
  readonly canOfferApproval: boolean;
}

/** Schemas of the inputs. */
export const dataFlowInputs = {
  dataFlowEvents: nothing,
  dismissDataFlowOffer: nothing,
};

interface DataFlowOutputs {
  /** Data-flow questions, asked or recorded, latest first; the last 100. */
  dataFlowEvents: Pick<DataFlowSummary, 'since' | 'week'> & {
    readonly last: readonly DataFlowEventRow[];
    readonly canOfferApproval: boolean;
  };
  /** The user does not want `ask` offered again. */
  dismissDataFlowOffer: Nothing;
}

export type DataFlowMethods = Methods<typeof dataFlowInputs, DataFlowOutputs>;
