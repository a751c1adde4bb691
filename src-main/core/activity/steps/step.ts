/** A step: one request of a client app with its response, or one request of Tooltray to the app. */
import { toPlainNumber, toText, type JsonObject, objectOrEmpty, textOrEmpty } from '../../base/json.ts';
import { isSpillId, parseSpillFileName, spillUri } from '../../spills/spill.ts';
import type { CallOutcome, PayloadDropReason } from '../call-record.ts';
import { classifyResult, argumentsOf, type KindOfHelper } from '../ledger/ledger-entry.ts';

/**
 * `handshake`: `initialize`; `list`: tools, resources or prompts were listed; `search`, `schema`: tools
 * were searched, or a schema was read; `readback`: a spill was read; `call`: a tool was called; `program`: a program
 * of
 * the model ran; `await`: a pending result was fetched; `prompt`, `resource`: one was read; `change`: a change of
 * servers; `question`: a request to the app.
 */
export type StepKind =
  | 'handshake'
  | 'list'
  | 'search'
  | 'schema'
  | 'readback'
  | 'call'
  | 'program'
  | 'await'
  | 'prompt'
  | 'resource'
  | 'change'
  | 'question'
  | 'other';

/** A short description of the request. */
export interface StepWords {
  readonly kind: StepKind;
  /** The requested tool, prompt or address; otherwise the method. */
  readonly name: string;
  /** The subject: search words, or the tool that a helper tool calls. Empty if the name suffices. */
  readonly what: string;
}

export interface StepRecord extends StepWords {
  /** Increases with the start time; its calls refer to it. */
  readonly id: number;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly sessionId: string;
  /** The user, if several share the core. */
  readonly user?: string | undefined;
  readonly app: string;
  readonly mode: string;
  readonly durationMs: number;
  /** Size of the params, and of the outgoing payload: `result` or `error`. */
  readonly requestBytes: number;
  readonly modelResultBytes: number;
  /** Number of its calls of servers' tools. */
  readonly calls: number;
  readonly outcome: CallOutcome;
  readonly errorText?: string | undefined;
  /** Why its texts were not stored; `call`: they are those of its only call. */
  readonly dropReason?: PayloadDropReason | 'call' | undefined;
}

/** Methods that are not recorded as steps. */
const silent: ReadonlySet<string> = new Set(['ping', 'logging/setLevel', 'subscriptions/listen']);

const byMethod: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['initialize', 'handshake'],
  ['server/discover', 'handshake'],
  ['tools/list', 'list'],
  ['resources/list', 'list'],
  ['resources/templates/list', 'list'],
  ['prompts/list', 'list'],
  ['skills/list', 'list'],
  ['prompts/get', 'prompt'],
  ['resources/read', 'resource'],
  ['sampling/createMessage', 'question'],
  ['elicitation/create', 'question'],
  ['roots/list', 'question'],
]);

/** Arguments with the query of a search, or the tool that a helper tool is about. */
const queryKeys = ['query', 'queries', 'q', 'filter', 'search'];
const toolKeys = ['tool', 'tool_name', 'name', 'path', 'tools', 'names'];
const readKeys = ['op', 'pattern', 'query', 'path'];

const spillAddress = spillUri('');
const maxFileNameLength = 255;

/** Returns whether a method is recorded as a step. Input is untrusted: the method may not be a string. */
export function isStep(method: unknown): boolean {
  return typeof method === 'string' && !silent.has(method);
}

/** `mode` is the session's. */
export function describeStep(method: string, params: JsonObject, mode: string, kindOf: KindOfHelper): StepWords {
  const kind = byMethod.get(method);
  if (method === 'tools/call') return toolWords(toText(params['name']), argumentsOf(params), mode, kindOf);
  if (kind === 'prompt') return { kind, name: toText(params['name']), what: '' };
  if (kind === 'resource') {
    const uri = toText(params['uri']);
    return { kind: uri.startsWith(spillAddress) ? 'readback' : kind, name: uri, what: '' };
  }
  if (kind === 'question') return { kind, name: method, what: firstText(params, ['message', 'systemPrompt']) };
  return { kind: kind ?? 'other', name: method, what: '' };
}

function toolWords(name: string, input: JsonObject, mode: string, kindOf: KindOfHelper): StepWords {
  const kind = classifyResult(name, input, mode, kindOf);
  if (kind === 'discovery') {
    const isSchema = kindOf(name, input) === 'schema';
    const what = firstText(input, isSchema ? [...toolKeys, ...queryKeys] : [...queryKeys, ...toolKeys]);
    return { kind: isSchema ? 'schema' : 'search', name, what };
  }
  if (kind === 'readback') return { kind, name: spillAddressIn(input) ?? name, what: readInWords(input) };
  if (kind === 'program') return { kind, name, what: firstText(input, ['code', 'script', 'program']) };
  if (kind === 'await') return { kind, name, what: firstText(input, ['handle', 'id']) };
  if (mode !== 'server' && kindOf(name, input) === 'change')
    return { kind: 'change', name, what: allTexts(input, ['action', 'operation', 'name', 'server']) };
  return { kind: 'call', name, what: kind === 'direct' ? '' : firstText(input, toolKeys) };
}

/** `grep timeout`, `slice lines 40–80`, `head 20 lines`. */
function readInWords(input: JsonObject): string {
  const given = { ...objectOrEmpty(input['arguments']), ...input };
  const [from, to] = [numberIn(given, ['fromLine', 'start']), numberIn(given, ['toLine', 'end'])];
  const [lines, byte] = [numberIn(given, ['lines']), numberIn(given, ['fromByte'])];
  const range = from ?? to;
  return [
    allTexts(given, readKeys),
    range === undefined ? '' : from === to ? `line ${range}` : `lines ${from ?? 1}–${to ?? 'end'}`,
    range === undefined && lines !== undefined ? `${lines} lines` : '',
    byte === undefined ? '' : `from byte ${byte}`,
  ]
    .filter((text) => text !== '')
    .join(' ');
}

/** Models send numbers as texts, too. */
function numberIn(input: JsonObject, keys: readonly string[]): number | undefined {
  const isGiven = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'string' && value !== '');
  const number = Number(keys.map((key) => toPlainNumber(input[key])).find(isGiven) ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the address of the spill that a look-up names by its id, file, or address; undefined if it names none. */
function spillAddressIn(input: JsonObject): string | undefined {
  const named = textOrEmpty(input['resultFile']) || textOrEmpty(objectOrEmpty(input['arguments'])['resultFile']);
  const last = named.slice(Math.max(named.lastIndexOf('/'), named.lastIndexOf('\\')) + 1);
  // File names are never longer, and a model may send anything.
  if (last.length > maxFileNameLength) return undefined;
  const id = isSpillId(last) ? last : parseSpillFileName(last)?.id;
  return id === undefined ? undefined : spillUri(id);
}

function firstText(input: JsonObject, keys: readonly string[]): string {
  for (const key of keys) {
    const text = textIn(input[key]);
    if (text !== '') return text;
  }
  return '';
}

function allTexts(input: JsonObject, keys: readonly string[]): string {
  const texts = keys.map((key) => textIn(input[key])).filter((text) => text !== '');
  return [...new Set(texts)].join(' ');
}

/** Joins the words of a list. */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return (value as unknown[]).map(textIn).join(', ');
  if (typeof value === 'string') return value.length > maxPurposeLength ? value.slice(0, maxPurposeLength) : value;
  return typeof value === 'object' && value !== null ? firstText(objectOrEmpty(value), ['name', 'tool', 'query']) : '';
}

/** Maximum length of a step's purpose, in characters. */
export const maxPurposeLength = 300;
