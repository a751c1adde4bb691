/** What of a person's decisions is remembered and asked for: questions that wait, what was decided for good, what would be asked. */
import type { Log } from './base/log.ts';
import type { CoreStores } from './core-stores.ts';
import { nameOfApp } from './client-apps/app-limits.ts';
import type { FlowSettings } from './config/app-config.ts';
import { Flow } from './trust/flow/flow.ts';
import { FlowDecisions } from './trust/flow/flow-decisions.ts';
import { FlowRecord } from './trust/flow/flow-record.ts';
import { Questions } from './trust/questions.ts';

interface FlowOptions {
  readonly stores: Pick<CoreStores, 'flowDecisions' | 'flowRecord'>;
  readonly settings: () => FlowSettings;
  /** Where people answer, in words; absent: on this machine. */
  readonly answerAt?: (() => string) | undefined;
  readonly log: Log;
}

export interface OpenFlow {
  readonly flow: Flow;
  /** For the person's places alone: tray, dashboard, command line. */
  readonly questions: Questions;
  readonly decisions: FlowDecisions;
  readonly record: FlowRecord;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function openFlow({ stores, settings, answerAt, log }: FlowOptions): OpenFlow {
  const questions = new Questions();
  const decisions = new FlowDecisions(stores.flowDecisions);
  const record = new FlowRecord(stores.flowRecord, Date.now);
  const onTrouble = (error: unknown): void =>
    log.warn('What was decided about data that leaves could not be kept.', { error });
  const flow = new Flow({ settings, questions, decisions, record, now: Date.now, nameOfApp, answerAt, onTrouble });
  const start = async (): Promise<void> => {
    await Promise.all([decisions.start(), record.start()]);
  };
  const close = async (): Promise<void> => {
    questions.close();
    await record.close();
  };
  return { flow, questions, decisions, record, start, close };
}
