/** Requests of the core to the activity thread. Each runs in the thread that owns the database. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { Masker } from '../../base/mask.ts';
import { runInTransaction } from '../../base/private-database.ts';
import type { SharedText } from '../activity-messages.ts';
import { annotationsBetween } from '../annotations.ts';
import { latencies, outcomesByHour } from '../call-charts.ts';
import {
  findCall,
  findCallBySpill,
  firstAppCall,
  type PageRange,
  recentlyUsedTools,
  searchCalls,
  spillsOfCalls,
} from './call-queries.ts';
import type { TokenCount } from '../call-record.ts';
import { recentCalls } from './call-table.ts';
import { type CallSearch, callsByServer, tokensSent } from './call-totals.ts';
import { type CauseSum, type SavingsQuery, sumLedger } from '../ledger/ledger-table.ts';
import { type PayloadTexts, unpackPayloads } from './pack-payloads.ts';
import {
  type PayloadExcerpt,
  type PayloadExcerpts,
  type PayloadQuery,
  payloadSides,
  type Snippet,
} from '../payload.ts';
import { findSnippets, type SnippetRow } from './snippets.ts';
import { recentSessions, searchSteps, type StepRange, type StepSearch, stepsOfPayloads } from './step-search.ts';
import { callsOfSteps, findStep } from './step-table.ts';
import type { Recorder } from './recorder.ts';
import type { TokenCounts } from './token-counts.ts';

export interface QuestionContext {
  readonly recorder: Recorder;
  readonly counts: TokenCounts;
}

export interface SqlStatement {
  readonly sql: string;
  readonly values?: readonly SQLInputValue[];
}

/** Maximum number of calls and steps found by payload text; the newest are kept. Matches by name are not limited. */
const maxFound = 2000;
const countTimeoutMs = 10_000;

const ask =
  <Args extends readonly unknown[], Result>(question: (database: DatabaseSync, ...args: Args) => Result) =>
  ({ recorder }: QuestionContext, ...args: Args): Result =>
    recorder.query((database) => question(database, ...args));

export const questions = {
  flush: ask(() => undefined),
  recentCalls: ask((database, limit: number = 100) => recentCalls(database, limit)),
  findCall: ask(findCall),
  findCallBySpill: ask(findCallBySpill),
  firstAppCall: ask(firstAppCall),
  callsByServer: ask(callsByServer),
  tokensSent: ask(tokensSent),
  outcomesByHour: ask(outcomesByHour),
  latencies: ask(latencies),
  annotations: ask(annotationsBetween),
  usedTools: ask(recentlyUsedTools),
  /** Finds calls by name and by their payloads. */
  searchCalls: ({ recorder }: QuestionContext, search: Omit<CallSearch, 'found'>, range: PageRange) =>
    recorder.query((database) => {
      const found = foundIn(database, search.text, recorder);
      const page = searchCalls(database, { ...search, found }, range);
      const ids = new Set(found);
      const rows = page.calls.filter(({ id }) => ids.has(id)).map((call) => ({ id: call.id, payloads: [call] }));
      return { ...page, snippets: snippets(database, search.text, rows, recorder) };
    }),
  /** Finds the spills of such calls. */
  findSpills: ({ recorder }: QuestionContext, text: string, limit: number) =>
    recorder.query((database) => spillsOfCalls(database, { text, found: foundIn(database, text, recorder) }, limit)),
  /** Finds steps by name and payload, each with its first calls. */
  searchSteps: ({ recorder }: QuestionContext, search: Omit<StepSearch, 'found'>, range: StepRange, maxCalls: number) =>
    recorder.query((database) => {
      const found = stepsOfPayloads(database, foundIn(database, search.text, recorder));
      const page = searchSteps(database, { ...search, found }, range);
      const calls = callsOfSteps(
        database,
        page.steps.map(({ id }) => id),
        maxCalls,
      );
      const ids = new Set(found);
      const rows = page.steps
        .filter(({ id }) => ids.has(id))
        .map((step) => ({ id: step.id, payloads: [step, ...(calls.get(step.id) ?? [])] }));
      return { ...page, calls, snippets: snippets(database, search.text, rows, recorder) };
    }),
  /** One step with its calls; undefined if it was deleted. */
  findStep: ask((database, id: number, maxCalls: number) => {
    const step = findStep(database, id);
    return step && { step, calls: callsOfSteps(database, [id], maxCalls).get(id) ?? [] };
  }),
  recentSessions: ask((database, limit: number) => recentSessions(database, limit)),
  payload: ({ recorder }: QuestionContext, query: PayloadQuery): PayloadExcerpts => {
    const { known, payloads } = recorder.file;
    const none = (reason: Extract<PayloadExcerpt, { none: unknown }>['none']): PayloadExcerpts =>
      Object.fromEntries(query.sides.map((side) => [side, { none: reason }]));
    if (query.dropReason !== undefined) return none(query.dropReason);
    if (!payloads.keep) return none('off');
    const packed = recorder.query((database) => recorder.payloads.find(database, query, payloads, Date.now()));
    if (packed === undefined) return none('gone');
    let texts: PayloadTexts;
    try {
      texts = unpackPayloads(packed);
    } catch {
      return none('failed');
    }
    return excerpts(texts, query, Masker.fromMatchers(known));
  },
  /** Sums the ledger after waiting up to `countTimeoutMs` for pending token counts. */
  sumLedger: async (
    { recorder }: QuestionContext,
    question: SavingsQuery,
    now: number,
  ): Promise<readonly CauseSum[]> => {
    await recorder.settle(countTimeoutMs);
    return recorder.query((database) => sumLedger(database, question, now));
  },
  /** Counts a text that belongs to no record. */
  count: async ({ counts }: QuestionContext, text: SharedText): Promise<TokenCount> => {
    if (!counts.isReady) await counts.load();
    return counts.count(text);
  },
  /** Counts a result as in the record of its call. */
  countResult: async ({ counts }: QuestionContext, text: SharedText): Promise<TokenCount> => {
    if (!counts.isReady) await counts.load();
    return counts.countOnce(text);
  },
  /** Writes everything; tokens that are not counted within `limitMs` are estimated. */
  settle: ({ recorder }: QuestionContext, limitMs: number): Promise<void> => recorder.settle(limitMs, true),
  prune: ({ recorder }: QuestionContext): void => {
    recorder.write();
    recorder.prune(Date.now());
  },
  /** Runs statements in one transaction and returns the rows of each, for exporters with tables of their own. */
  sql: ask((database, statements: readonly SqlStatement[]) =>
    runInTransaction(database, () =>
      statements.map(({ sql, values = [] }): Record<string, SQLOutputValue>[] =>
        database
          .prepare(sql)
          .all(...values)
          .map((row) => ({ ...row })),
      ),
    ),
  ),
};

export type Questions = typeof questions;

/** Ids of calls and steps whose payloads contain the text. */
function foundIn(database: DatabaseSync, text: string | undefined, { file, payloads }: Recorder): readonly number[] {
  if (text === undefined || text === '' || !file.payloads.keep) return [];
  return payloads.search(database, text, maxFound, file.payloads, Date.now()).ids;
}

function snippets(
  database: DatabaseSync,
  text: string | undefined,
  rows: readonly SnippetRow[],
  recorder: Recorder,
): ReadonlyMap<number, Snippet> {
  if (text === undefined || rows.length === 0) return new Map();
  return findSnippets(database, text, rows, { recorder, masker: Masker.fromMatchers(recorder.file.known) });
}

/** Masked again as a whole, with the currently known secrets. */
function excerpts(texts: PayloadTexts, { sides, from, length }: PayloadQuery, masker: Masker): PayloadExcerpts {
  const read = (side: PayloadTexts['request']): PayloadExcerpt =>
    'none' in side ? side : part(masker.maskText(side.text), from, length);
  return Object.fromEntries(
    payloadSides.filter((side) => sides.includes(side)).map((side) => [side, read(texts[side])]),
  );
}

/** Never ends inside of a surrogate pair. */
function part(text: string, from: number, length: number): PayloadExcerpt {
  const end = from + length;
  if (end >= text.length) return { text: text.slice(from), next: undefined };
  const next = /[\udc00-\udfff]/.test(text[end] ?? '') && length > 1 ? end - 1 : end;
  return { text: text.slice(from, next), next };
}
