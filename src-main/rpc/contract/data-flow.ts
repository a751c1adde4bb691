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
  /** Start of the counted period. */
  readonly since: number;
  /** Calls of the last seven days by outcome; `recorded`: allowed, but would have been asked. */
  readonly week: DataFlowSummary['week'];
  /** A week of data exists, so `ask` can be offered. */
  readonly canOfferApproval: boolean;
}

/** Schemas of the inputs. */
export const dataFlowInputs = {
  dataFlowEvents: nothing,
  dismissDataFlowOffer: nothing,
};

interface DataFlowOutputs {
  /** Data-flow questions, asked or recorded; the latest 100, newest first. */
  dataFlowEvents: Pick<DataFlowSummary, 'since' | 'week'> & {
    readonly last: readonly DataFlowEventRow[];
    readonly canOfferApproval: boolean;
  };
  /** Stops offering `ask`. */
  dismissDataFlowOffer: Nothing;
}

export type DataFlowMethods = Methods<typeof dataFlowInputs, DataFlowOutputs>;
