/** Request and outcome of a run of model-written code. */
import type { JsonObject } from '../base/json.ts';
export type CodeLanguage = 'javascript' | 'typescript' | 'python';

/**
 * How functions in the VM return.
 * `execute`: with promises, results unwrapped, failures thrown.
 * `code_execution`: synchronously, as documented by MCPProxy: `{ok, result}` or `{ok, error}`, with the server's
 * result.
 */
type SandboxStyle = 'execute' | 'code_execution';

export interface CodeRunLimits {
  /** Wall-clock time limit, including waits for tools, in ms (default: 30,000, maximum: 600,000). */
  readonly timeMs: number;
  /** Memory limit of the code, in bytes (default: 64 MiB). */
  readonly memoryBytes: number;
  /** Maximum number of tool calls (default: 50); Infinity for no limit. */
  readonly calls: number;
  /** Maximum number of concurrent calls; others wait (default: 8, maximum: 32). */
  readonly parallel: number;
}

const defaultLimits: CodeRunLimits = { timeMs: 30_000, memoryBytes: 64 << 20, calls: 50, parallel: 8 };

/** Maximum length of a value that is passed in either direction (arguments, results, the value), in characters. */
export const maxValueLength = 16 << 20;
/** Maximum length of the code, in characters. */
export const maxCodeLength = 1 << 20;

/** Names of tools that are functions in the VM, each with its parameters in order. */
type SandboxHelpers = Readonly<Record<string, readonly string[]>>;

export interface CodeRunRequest {
  readonly code: string;
  /** Undefined: detected by parsing; if both parsers accept it, Python in the style `execute`, otherwise JavaScript. */
  readonly language?: CodeLanguage | undefined;
  /** The global `input`; default: `{}`. */
  readonly input?: unknown;
  readonly limits?: Partial<CodeRunLimits> | undefined;
  readonly globals: SandboxStyle;
  /** Resolves with an MCP result; rejects with an error whose text the code may see. `name` may be `server:tool`. */
  readonly callTool: (name: string, args: JsonObject, signal: AbortSignal) => Promise<unknown>;
  readonly discover?: SandboxDiscovery | undefined;
  readonly helpers?: SandboxHelpers | undefined;
  /** Owner for fair scheduling: runs of one owner wait for each other before they delay others. */
  readonly owner?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Results of `search`, `get_schema` and `sql` inside: any JSON, or a text. */
interface SandboxDiscovery {
  search(query: string, limit: number | undefined): Promise<unknown>;
  schema(names: readonly string[]): Promise<unknown>;
  /** Rows of a statement over `source`: a value, a text with tables, or the id of a spilled result. */
  sql(source: unknown, query: string): Promise<unknown>;
}

export type CodeRunErrorCode =
  | 'SYNTAX_ERROR'
  | 'RUNTIME_ERROR'
  | 'TIMEOUT'
  | 'MEMORY_LIMIT'
  | 'MAX_TOOL_CALLS_EXCEEDED'
  | 'SERIALIZATION_ERROR'
  | 'TRANSPILE_ERROR'
  | 'LANGUAGE_UNAVAILABLE'
  | 'CANCELLED';

export interface CodeRunError {
  readonly code: CodeRunErrorCode;
  readonly message: string;
  /** Line in the original code, starting at 1. */
  readonly line?: number;
  readonly column?: number;
  /** Stack frames of the code. */
  readonly stack?: string;
}

/** `value` is undefined if the code neither returned a value nor ended with one. */
export type CodeRunOutcome = SandboxReport & ({ ok: true; value: unknown } | { ok: false; error: CodeRunError });

interface SandboxReport {
  /** Output of the code, truncated at 64 kB. */
  readonly console: readonly string[];
  /** Number of permitted tool calls. */
  readonly calls: number;
  /** Duration in ms. */
  readonly ms: number;
  /** The detected language, if none was given and both parsers accepted the code. */
  readonly readAs?: 'javascript' | 'python';
}

/** The requested limits, restricted to the possible range. */
export function withDefaults(limits: Partial<CodeRunLimits> = {}): CodeRunLimits {
  const { timeMs, memoryBytes, calls, parallel } = { ...defaultLimits, ...limits };
  return {
    timeMs: within(timeMs, 1, 600_000),
    // Below two megabytes the engine has no room for its own objects; above one gigabyte its address space ends.
    memoryBytes: within(memoryBytes, 2 << 20, 1 << 30),
    calls: Math.max(0, calls),
    parallel: within(Math.floor(parallel), 1, 32),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

// Messages between the core and the thread or process that runs the code. Values are passed as JSON text.

/** Asks whether code is Python, without running it. */
export interface CheckMessage {
  readonly kind: 'check';
  readonly code: string;
}

export interface RunMessage {
  readonly kind: 'run';
  readonly code: string;
  readonly language: CodeLanguage | undefined;
  readonly input: string;
  readonly style: SandboxStyle;
  readonly limits: CodeRunLimits;
  readonly helpers: SandboxHelpers;
}

/** The answer to a request; if it is not ok, `text` is a refusal. */
export interface HostReplyMessage {
  readonly kind: 'answer';
  readonly id: number;
  readonly ok: boolean;
  readonly text: string;
}

/** The reason why a request was refused. */
export interface HostCallError {
  readonly code: string;
  readonly message: string;
}

export type ToWorker = RunMessage | HostReplyMessage;
/** Messages to the Python process and its worker thread. */
export type ToPython = ToWorker | CheckMessage;

/** A parser's result: why the code is not in its language; undefined if it is. */
export interface CheckedMessage {
  readonly kind: 'checked';
  readonly error: CodeRunError | undefined;
  /** Whether it parses as Python but uses names that only exist in JavaScript. */
  readonly isForeign?: boolean;
  /** Whether it is JavaScript or TypeScript, as checked by the process. */
  readonly isJavaScript?: boolean;
}

export type HostCallKind = 'call' | 'search' | 'schema' | 'sql';

export interface HostCallMessage {
  readonly kind: 'question';
  readonly id: number;
  readonly what: HostCallKind;
  readonly text: string;
}

/** Replaces the JSON of a value if the code ended without one. `guest.py` has the same text. */
export const noValue = 'undefined';

/** How the code ended: its value as JSON (or `noValue`), or the error. */
export type GuestOutcome = { readonly value: string } | { readonly error: CodeRunError };

export interface DoneMessage {
  readonly kind: 'done';
  readonly outcome: GuestOutcome;
  /** Whether the thread can be reused: its memory is small and nothing broke. */
  readonly reusable: boolean;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  /** Replaces `ready` if the language is unavailable on this computer. */
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'print'; readonly line: string }
  | CheckedMessage
  | HostCallMessage
  | DoneMessage;

/** Receives what a worker that runs model-written code reports. */
export interface GuestListener {
  message(message: FromWorker): void;
  /** Called when the worker has ended; `error` is the reason, if known. */
  exit(error: Error | undefined): void;
}

/** Error codes that may leave the VM. */
const ownCodes: ReadonlySet<unknown> = new Set(['MAX_TOOL_CALLS_EXCEEDED', 'SERIALIZATION_ERROR', 'MEMORY_LIMIT']);

export function isCodeRunErrorCode(code: unknown): code is CodeRunErrorCode {
  return ownCodes.has(code);
}
