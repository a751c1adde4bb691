/** One line of the ledger: tokens under a cause, for a server and a tool. */
import type { TokenCount } from '../token-counter.ts';

/**
 * Why tokens crossed the line to a client app:
 * - `lists`: answers to tools/list, resources/list, resources/templates/list, prompts/list
 * - `instructions`: answers to initialize and server/discover
 * - `discovery`: what helper tools tell of tools: search results, descriptions, schemas
 * - `helpers`: everything else that helper tools say, what they wrap an answer in included
 * - `results`: tools' answers as they were given
 * - `code`: what a model's program handed on of the answers it got
 * - `readback`: answers kept on disk, read again in parts
 * - `other`: resources, prompts, errors, notifications, questions: they would be the same without Tooltray
 */
export type Cause = 'lists' | 'instructions' | 'discovery' | 'helpers' | 'results' | 'code' | 'readback' | 'other';

export interface Amounts {
  /** Answers, searches, calls: how often it happened. */
  readonly times: number;
  /** Tokens that crossed the line to the client app. */
  readonly sent: number;
  /** What of them the app loads: all, but for the lists of an app that defers tools. */
  readonly loaded: number;
  /** Tokens of lists and instructions that the app would have loaded without us. */
  readonly baseline: number;
  /** Tokens of what servers answered, before anything was made of it. */
  readonly raw: number;
  /** What of `sent`, `baseline` and `raw` is an estimate. */
  readonly estimated: number;
}

export interface Entry extends Amounts {
  /** Empty for Tooltray itself. */
  readonly server: string;
  readonly tool: string;
  readonly cause: Cause;
}

export interface Figures {
  readonly times?: number;
  readonly sent?: TokenCount;
  readonly loaded?: TokenCount;
  readonly baseline?: TokenCount;
  readonly raw?: TokenCount;
}

export const nothing: TokenCount = { tokens: 0, estimated: false };

/** `loaded` is what was sent unless given. */
export function entryOf(cause: Cause, server: string, tool: string, figures: Figures): Entry {
  const { times = 0, sent = nothing, loaded = sent, baseline = nothing, raw = nothing } = figures;
  const estimated = [sent, baseline, raw].reduce((sum, count) => sum + (count.estimated ? count.tokens : 0), 0);
  return {
    cause,
    server,
    tool,
    times,
    sent: sent.tokens,
    loaded: loaded.tokens,
    baseline: baseline.tokens,
    raw: raw.tokens,
    estimated,
  };
}

/** Both together. */
export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    times: a.times + b.times,
    sent: a.sent + b.sent,
    loaded: a.loaded + b.loaded,
    baseline: a.baseline + b.baseline,
    raw: a.raw + b.raw,
    estimated: a.estimated + b.estimated,
  };
}
