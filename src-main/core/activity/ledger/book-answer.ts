/** Divides the answer to a tools/call among its causes, so that the parts are the whole to the token. */
import type { TokenCount } from '../token-counter.ts';
import { type AnswerKind, type Cause, type Entry, entryOf } from './entry.ts';

/** A call of a server's tool that ran while the request was answered. */
export interface CountedCall {
  readonly server: string;
  readonly tool: string;
  /** The helper tool it came through. */
  readonly via: string | undefined;
  /** undefined: no answer came. */
  readonly raw: TokenCount | undefined;
  /** What the pipeline made of it. */
  readonly given: TokenCount | undefined;
  /** Nobody changed it. */
  readonly untouched: boolean;
}

interface CountedAnswer {
  readonly kind: AnswerKind;
  /** The tool that the client app called. */
  readonly tool: string;
  readonly tokens: TokenCount;
  readonly calls: readonly CountedCall[];
}

type AnsweredCall = CountedCall & { readonly raw: TokenCount; readonly given: TokenCount };

export const programs: ReadonlySet<string | undefined> = new Set(['execute', 'code_execution']);

export function bookAnswer(answer: CountedAnswer): readonly Entry[] {
  const { tokens, calls } = answer;
  const answered = calls.filter((call): call is AnsweredCall => call.raw !== undefined && call.given !== undefined);
  if (answered.length === 0) return [bookOwn(answer)];
  if (answered.every(({ via }) => programs.has(via))) return bookProgram(tokens, answered);
  const [only] = answered;
  if (answered.length === 1 && only?.via === undefined && only?.untouched === true) {
    // What our side of the line adds to a message, the server's would have added as well.
    return [entryOf('results', only.server, only.tool, { times: 1, sent: tokens, raw: tokens })];
  }
  return bookThrough(answer, answered);
}

/** No server's answer is in it. */
function bookOwn({ kind, tool, tokens, calls }: CountedAnswer): Entry {
  const [first] = calls;
  // A call by name that failed would have failed without us, too.
  if (kind === 'direct' && first !== undefined) {
    return entryOf('other', first.server, first.tool, { times: 1, sent: tokens });
  }
  const cause: Cause = kind === 'discovery' || kind === 'readback' ? kind : 'helpers';
  return entryOf(cause, '', tool, { times: 1, sent: tokens });
}

/** What the program said stands for all answers it got, each by its share of them. */
function bookProgram(tokens: TokenCount, calls: readonly AnsweredCall[]): readonly Entry[] {
  const shares = divide(
    tokens.tokens,
    calls.map(({ raw }) => raw.tokens),
  );
  return calls.map(({ server, tool, raw }, index) =>
    entryOf('code', server, tool, { times: 1, sent: { ...tokens, tokens: shares[index] ?? 0 }, raw }),
  );
}

/** What the pipeline gave is the result; what there is beyond it, the helper tool put around it. */
function bookThrough({ tool, tokens }: CountedAnswer, calls: readonly AnsweredCall[]): readonly Entry[] {
  const given = calls.reduce((sum, call) => sum + call.given.tokens, 0);
  const part = Math.min(given, tokens.tokens);
  const shares = divide(
    part,
    calls.map((call) => call.given.tokens),
  );
  const estimated = tokens.estimated || calls.some((call) => call.given.estimated);
  const entries = calls.map((call, index) =>
    entryOf('results', call.server, call.tool, {
      times: 1,
      sent: { tokens: shares[index] ?? 0, estimated },
      raw: call.raw,
    }),
  );
  const rest = tokens.tokens - part;
  return rest === 0 ? entries : [...entries, entryOf('helpers', '', tool, { sent: { tokens: rest, estimated } })];
}

/** Whole numbers in proportion to the weights, whose sum is the whole. */
export function divide(whole: number, weights: readonly number[]): readonly number[] {
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
