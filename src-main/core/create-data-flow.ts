/** State of the data-flow check: pending questions, permanent decisions, and the record of would-be questions. */
import type { Log } from './base/log.ts';
import type { CoreStores } from './core-stores.ts';
import { displayNameOf } from './client-apps/app-traits.ts';
import type { DataFlowSettings } from './config/app-config.ts';
import { DataFlowGuard } from './trust/data-flow/data-flow-guard.ts';
import { DataFlowDecisions } from './trust/data-flow/data-flow-decisions.ts';
import { DataFlowStats } from './trust/data-flow/data-flow-stats.ts';
import { ApprovalQueue } from './trust/approvals.ts';

interface FlowOptions {
  readonly stores: Pick<CoreStores, 'dataFlowDecisions' | 'dataFlowEvents'>;
  readonly settings: () => DataFlowSettings;
  /** Describes where users decide; absent: on this machine. */
  readonly answerAt?: (() => string) | undefined;
  readonly log: Log;
}

export interface DataFlow {
  readonly flow: DataFlowGuard;
  /** Only for the user's interfaces: tray, dashboard, command line. */
  readonly questions: ApprovalQueue;
  readonly decisions: DataFlowDecisions;
  readonly record: DataFlowStats;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function createDataFlow({ stores, settings, answerAt, log }: FlowOptions): DataFlow {
  const questions = new ApprovalQueue();
  const decisions = new DataFlowDecisions(stores.dataFlowDecisions);
  const record = new DataFlowStats(stores.dataFlowEvents, Date.now);
  const onTrouble = (error: unknown): void => log.warn('Could not save data flow decisions.', { error });
  const flow = new DataFlowGuard({
    settings,
    questions,
    decisions,
    record,
    now: Date.now,
    nameOfApp: displayNameOf,
    answerAt,
    onTrouble,
  });
  const start = async (): Promise<void> => {
    await Promise.all([decisions.start(), record.start()]);
  };
  const close = async (): Promise<void> => {
    questions.close();
    await record.close();
  };
  return { flow, questions, decisions, record, start, close };
}
