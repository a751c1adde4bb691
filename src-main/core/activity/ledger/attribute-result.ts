/** Attributes the tokens of a tools/call result to their causes, so that the parts add up exactly. */
import type { TokenCount } from '../call-record.ts';
import { type ResultKind, type Cause, type LedgerEntry, createLedgerEntry } from './ledger-entry.ts';

/** A call of a server's tool during the request. */
export interface CountedCall {
  readonly server: string;
  readonly tool: string;
  /** The helper tool that the call came through. */
  readonly via: string | undefined;
  /** Undefined if there was no result. */
  readonly raw: TokenCount | undefined;
  /** Tokens that the app's model would have read of the result without Tooltray. */
  readonly baseline: TokenCount | undefined;
  /** Tokens of the result after the pipeline, and those that the model reads. */
  readonly given: TokenCount | undefined;
  readonly read: TokenCount | undefined;
  /** Whether the result was returned unchanged. */
  readonly untouched: boolean;
}

interface CountedAnswer {
  readonly kind: ResultKind;
  /** The tool that the client app called. */
  readonly tool: string;
  readonly tokens: TokenCount;
  /** Tokens that the app's model reads. */
  readonly read: TokenCount;
  readonly calls: readonly CountedCall[];
}

type Counts = 'raw' | 'baseline' | 'given' | 'read';
type AnsweredCall = CountedCall & { readonly [Count in Counts]: TokenCount };

export const codeToolNames: ReadonlySet<string | undefined> = new Set(['execute', 'code_execution']);

export function attributeResult(answer: CountedAnswer): readonly LedgerEntry[] {
  const { tokens, read, calls } = answer;
  const answered = calls.filter((call): call is AnsweredCall => call.raw !== undefined);
  if (answered.length === 0) return [bookOwn(answer)];
  if (answered.every(({ via }) => codeToolNames.has(via))) return bookProgram(answer, answered);
  const [only] = answered;
  if (answered.length === 1 && only?.via === undefined && only?.untouched === true) {
    // Our additions to a message are the same as a server's own.
    const figures = { times: 1, sent: tokens, loaded: read, baseline: read, raw: only.raw };
    return [createLedgerEntry('results', only.server, only.tool, figures)];
  }
  return bookThrough(answer, answered);
}

/** Records a result that contains nothing from a server. */
function bookOwn({ kind, tool, tokens, read, calls }: CountedAnswer): LedgerEntry {
  const [first] = calls;
  // A failed direct call would have failed without Tooltray, too.
  if (kind === 'direct' && first !== undefined) {
    return createLedgerEntry('other', first.server, first.tool, { times: 1, sent: tokens, loaded: read });
  }
  const cause: Cause = kind === 'discovery' || kind === 'readback' ? kind : 'helpers';
  return createLedgerEntry(cause, '', tool, { times: 1, sent: tokens, loaded: read });
}

/** Divides the program's output among the results it received, in proportion to their size. */
function bookProgram({ tokens, read }: CountedAnswer, calls: readonly AnsweredCall[]): readonly LedgerEntry[] {
  const weights = calls.map(({ raw }) => raw.tokens);
  const [sent, loaded] = [shareOut(tokens, tokens.tokens, weights), shareOut(read, read.tokens, weights)];
  return calls.map(({ server, tool, raw, baseline }, index) =>
    createLedgerEntry('code', server, tool, { times: 1, sent: sent[index], loaded: loaded[index], baseline, raw }),
  );
}

/** Books what the pipeline returned as results, and the remainder as overhead of the helper tool. */
function bookThrough({ tool, tokens, read }: CountedAnswer, calls: readonly AnsweredCall[]): readonly LedgerEntry[] {
  const sent = partOf(
    tokens,
    calls.map(({ given }) => given),
  );
  const loaded = partOf(
    read,
    calls.map((call) => call.read),
  );
  const entries = calls.map(({ server, tool: called, baseline, raw }, index) =>
    createLedgerEntry('results', server, called, {
      times: 1,
      sent: sent.shares[index],
      loaded: loaded.shares[index],
      baseline,
      raw,
    }),
  );
  const isAll = sent.rest.tokens === 0 && loaded.rest.tokens === 0;
  return isAll
    ? entries
    : [...entries, createLedgerEntry('helpers', '', tool, { sent: sent.rest, loaded: loaded.rest })];
}

/** Divides the share that belongs to these parts among them, and returns the remainder. */
function partOf(
  whole: TokenCount,
  parts: readonly TokenCount[],
): { readonly shares: readonly TokenCount[]; readonly rest: TokenCount } {
  const weights = parts.map(({ tokens }) => tokens);
  const part = Math.min(
    weights.reduce((sum, weight) => sum + weight, 0),
    whole.tokens,
  );
  const estimated = whole.estimated || parts.some((one) => one.estimated);
  return {
    shares: shareOut({ tokens: part, estimated }, part, weights),
    rest: { tokens: whole.tokens - part, estimated },
  };
}

function shareOut({ estimated }: TokenCount, whole: number, weights: readonly number[]): readonly TokenCount[] {
  return apportion(whole, weights).map((tokens) => ({ tokens, estimated }));
}

/** Integers in proportion to the weights, which add up to the whole. */
export function apportion(whole: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let [weighed, given] = [0, 0];
  return weights.map((weight, index) => {
    weighed += weight;
    const upTo = sum === 0 || index === weights.length - 1 ? whole : Math.round((whole * weighed) / sum);
    const share = upTo - given;
    given = upTo;
    return share;
  });
}
