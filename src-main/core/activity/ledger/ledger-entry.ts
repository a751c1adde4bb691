/** One line of the ledger: tokens under a cause, for a server and a tool. */
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { TokenCount } from '../call-record.ts';

/**
 * Why tokens were sent to a client app:
 * - `lists`: results of tools/list, resources/list, resources/templates/list, prompts/list
 * - `instructions`: results of initialize and server/discover
 * - `discovery`: what helper tools return about tools: search results, descriptions, schemas
 * - `helpers`: everything else that helper tools return, including what they wrap a result in
 * - `results`: results of tools as they were returned
 * - `code`: what a model's program passed on of the results it received
 * - `readback`: spills that were read again in parts
 * - `other`: resources, prompts, errors, notifications, questions: they would be the same without Tooltray
 */
export type Cause = 'lists' | 'instructions' | 'discovery' | 'helpers' | 'results' | 'code' | 'readback' | 'other';

export interface Amounts {
  /** Number of results, searches, or calls. */
  readonly times: number;
  /** Tokens sent to the client app. */
  readonly sent: number;
  /** Tokens that the model reads: fewer for lists if the app defers tools, and for results as the app takes them. */
  readonly loaded: number;
  /**
   * Tokens that it would have read without Tooltray: lists, instructions, and results as far as the app would have
   * accepted them.
   */
  readonly baseline: number;
  /** Tokens of results as servers sent them. */
  readonly raw: number;
  /** Estimated part of `sent` and `baseline`. */
  readonly estimated: number;
}

export interface LedgerEntry extends Amounts {
  /** Empty for Tooltray itself. */
  readonly server: string;
  readonly tool: string;
  readonly cause: Cause;
}

interface Figures {
  readonly times?: number;
  readonly sent?: TokenCount | undefined;
  readonly loaded?: TokenCount | undefined;
  readonly baseline?: TokenCount | undefined;
  readonly raw?: TokenCount | undefined;
}

export const zeroTokens: TokenCount = { tokens: 0, estimated: false };

/** `loaded` defaults to `sent`. */
export function createLedgerEntry(cause: Cause, server: string, tool: string, figures: Figures): LedgerEntry {
  const { times = 0, sent = zeroTokens, loaded = sent, baseline = zeroTokens, raw = zeroTokens } = figures;
  const estimated = [sent, baseline].reduce((sum, count) => sum + (count.estimated ? count.tokens : 0), 0);
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

/** Returns the tokens that the app's model reads and that are compared with its baseline. */
export function netContextTokens(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, { cause, loaded }) => sum + (cause === 'other' ? 0 : loaded), 0);
}

// Classifies a tools/call result by the tool's name and, for tools with several uses, by its input.

/**
 * `direct`: a server's own tool, or one that represents a server; `call`: a helper tool that calls tools or manages
 * something; `program`: runs a model's code; `await`: fetches the result of an earlier call.
 */
export type ResultKind = 'direct' | 'call' | 'program' | 'await' | 'discovery' | 'readback';

/** Purpose of a helper tool's use, as the tool declares it; `change` and `schema` are distinguished only in steps. */
export type HelperKind = 'call' | 'change' | 'program' | 'await' | 'discovery' | 'schema' | 'readback';

/** Returns the use of a helper tool; undefined for other names. */
export type KindOfHelper = (tool: string, input: JsonObject) => HelperKind | undefined;

/** Arguments that name the tool in helpers that call tools. */
const nameKeys = ['tool', 'tool_name', 'name', 'path'];

/** `mode`: the session's; at the endpoint of one server every name is that server's. */
export function classifyResult(tool: string, input: JsonObject, mode: string, kindOf: KindOfHelper): ResultKind {
  if (mode === 'server') return 'direct';
  const kind = toAnswerKind(kindOf(tool, input));
  if (kind !== 'call' && !(kind === 'direct' && mode === 'gateway')) return kind;
  return reached(input, kindOf) ?? kind;
}

function toAnswerKind(kind: HelperKind | undefined): ResultKind {
  if (kind === 'change') return 'call';
  return kind === 'schema' ? 'discovery' : (kind ?? 'direct');
}

/** A model that knows only a call helper reads its spills through it. */
function reached(input: JsonObject, kindOf: KindOfHelper): ResultKind | undefined {
  const inner = nameKeys.map((key) => input[key]).find((value) => typeof value === 'string');
  const kind = typeof inner === 'string' ? kindOf(inner, {}) : undefined;
  return kind === 'readback' || kind === 'await' ? kind : undefined;
}

/** The input of a tools/call, whatever its params contain. */
export function argumentsOf(params: JsonObject): JsonObject {
  return objectOrEmpty(params['arguments']);
}

/** How a client app takes a tool result. */
export interface ResultIntake {
  /** Maximum number of tokens in its model's context: its own limit, otherwise the window. */
  readonly tokens: number;
  /** The same in bytes, if that is the app's limit. */
  readonly bytes: number | undefined;
  /** Which representation it passes on if text and structured content are equal. */
  readonly reads: 'text' | 'structured';
}
