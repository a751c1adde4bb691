/** One line of the ledger: tokens under a cause, for a server and a tool. */
import { type JsonObject, objectOf } from '../../base/json.ts';
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
  /** What of them the app's model reads: less than all of the lists of an app that defers tools, and of answers as in as-read.ts. */
  readonly loaded: number;
  /** Tokens that it would have read without us: of lists, instructions, and of answers what the app would have let in. */
  readonly baseline: number;
  /** Tokens of what servers answered, as they sent it. */
  readonly raw: number;
  /** What of `sent` and `baseline` is an estimate. */
  readonly estimated: number;
}

export interface Entry extends Amounts {
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

export const nothing: TokenCount = { tokens: 0, estimated: false };

/** `loaded` is what was sent unless given. */
export function entryOf(cause: Cause, server: string, tool: string, figures: Figures): Entry {
  const { times = 0, sent = nothing, loaded = sent, baseline = nothing, raw = nothing } = figures;
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

/** What of it the app's model reads and is set against what it would have read without us. */
export function loadedInNet(entries: readonly Entry[]): number {
  return entries.reduce((sum, { cause, loaded }) => sum + (cause === 'other' ? 0 : loaded), 0);
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

// What the answer to a tools/call is about, told from the tool's name and, where one tool does many things, from its input.

/**
 * `direct`: a server's own tool, or one that stands for a server; `call`: a helper that calls tools or looks after something;
 * `program`: it runs a model's code; `await`: it fetches the answer of an earlier call.
 */
export type AnswerKind = 'direct' | 'call' | 'program' | 'await' | 'discovery' | 'readback';

/** Helper tools by name; the last word on whether they are all here has tests/core/activity/ledger/answer-kind.test.ts. */
const kinds: ReadonlyMap<string, AnswerKind> = new Map<string, AnswerKind>([
  ...named('discovery', ['get_tool_schema', 'get_tool_count', 'list_all_tools', 'catalog_tools', 'search_tools']),
  ...named('discovery', ['search', 'get_schema', 'retrieve_tools', 'describe_tool']),
  ...named('readback', ['read_cache', 'read_result', 'result_stat', 'result_read', 'result_head', 'result_tail']),
  ...named('readback', ['result_slice', 'result_grep', 'result_sql', 'result_query', 'result_schema', 'result_table']),
  ...named('program', ['execute', 'code_execution']),
  ...named('await', ['await_result']),
  ...named('call', ['invoke', 'call_tool', 'call_tool_read', 'call_tool_write', 'call_tool_destructive']),
  ...named('call', ['magg_list_servers', 'magg_status', 'magg_check', 'magg_add_server', 'magg_remove_server']),
  ...named('call', ['magg_enable_server', 'magg_disable_server', 'magg_reload_config', 'magg_search_servers']),
  ...named('call', ['magg_list_kits', 'magg_kit_info', 'magg_load_kit', 'magg_unload_kit', 'manage_servers']),
  ...named('call', ['magg_list_tools', 'magg_analyze_servers', 'magg_smart_configure']),
  ...named('call', ['optimize_descriptions', 'upstream_servers', 'tail_log', 'quarantine_security', 'set_profile']),
  ...named('call', ['search_servers', 'list_registries']),
]);

/** Tools whose input says what they do. */
const actions: ReadonlyMap<string, ReadonlyMap<string, AnswerKind>> = new Map([
  [
    'proxy-dispatch',
    new Map<string, AnswerKind>([
      ...named('discovery', ['status', 'list', 'search']),
      ...named('readback', ['readresult']),
    ]),
  ],
  ['proxy', new Map<string, AnswerKind>(named('discovery', ['list', 'info']))],
]);

/** Where a helper that calls tools is told which one. */
const nameKeys = ['tool', 'tool_name', 'name', 'path'];

/** `mode` is the session's; through an endpoint of one server every name is that server's. */
export function answerKind(tool: string, input: JsonObject, mode: string): AnswerKind {
  if (mode === 'server') return 'direct';
  const kind = ownKind(tool, input);
  if (kind !== 'call' && !(kind === 'direct' && mode === 'gateway')) return kind;
  return reached(input) ?? kind;
}

function ownKind(tool: string, input: JsonObject): AnswerKind {
  const byAction = actions.get(tool);
  if (byAction === undefined) return kinds.get(tool) ?? 'direct';
  const { action } = input;
  return (typeof action === 'string' ? byAction.get(action.toLowerCase()) : undefined) ?? 'call';
}

/** A model that knows only a helper that calls tools gets at its own answers through that one. */
function reached(input: JsonObject): AnswerKind | undefined {
  const inner = nameKeys.map((key) => input[key]).find((value) => typeof value === 'string');
  const kind = typeof inner === 'string' ? kinds.get(inner) : undefined;
  return kind === 'readback' || kind === 'await' ? kind : undefined;
}

/** The input of a tools/call, whatever its params hold. */
export function inputOf(params: JsonObject): JsonObject {
  return objectOf(params['arguments']);
}

function named(kind: AnswerKind, names: readonly string[]): [string, AnswerKind][] {
  return names.map((name) => [name, kind]);
}
