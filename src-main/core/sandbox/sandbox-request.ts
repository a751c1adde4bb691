/** What a run of model-written code is asked for, and what comes of it. */
import type { JsonObject } from '../base/json.ts';

export type SandboxLanguage = 'javascript' | 'typescript' | 'python';

/**
 * How the functions inside answer.
 * `execute`: with promises, results unwrapped, failures thrown.
 * `code_execution`: at once, as MCPProxy documents it: `{ok, result}` or `{ok, error}`, with the result as the server gave it.
 */
export type SandboxStyle = 'execute' | 'code_execution';

export interface SandboxLimits {
  /** Wall clock, waiting for tools included; in ms (30 000 by default, at most 600 000). */
  readonly timeMs: number;
  /** What the code may hold at once; in bytes (64 MiB by default). */
  readonly memoryBytes: number;
  /** Calls of tools in all (50 by default); Infinity for no limit. */
  readonly calls: number;
  /** Calls that run at the same time; others wait (8 by default, at most 32). */
  readonly parallel: number;
}

export const defaultLimits: SandboxLimits = { timeMs: 30_000, memoryBytes: 64 << 20, calls: 50, parallel: 8 };

/** Longest value that crosses the border in either direction (arguments, results, the value); in characters. */
export const longestValue = 16 << 20;
/** Longest code; in characters. */
export const longestCode = 1 << 20;

/** Names of functions inside that are tools called by their name, each with the names of its parameters in their order. */
export type SandboxHelpers = Readonly<Record<string, readonly string[]>>;

export interface SandboxRequest {
  readonly code: string;
  /** Undefined: whichever parser takes it; where both do, Python in the style `execute`, else JavaScript. */
  readonly language?: SandboxLanguage | undefined;
  /** The global `input`; `{}` by default. */
  readonly input?: unknown;
  readonly limits?: Partial<SandboxLimits> | undefined;
  readonly globals: SandboxStyle;
  /** Resolves with a result of MCP; rejects with an error whose text the code may see. `name` may be `server:tool`. */
  readonly callTool: (name: string, args: JsonObject, signal: AbortSignal) => Promise<unknown>;
  readonly discover?: SandboxDiscovery | undefined;
  readonly helpers?: SandboxHelpers | undefined;
  /** Whose turn it is: runs of one owner wait for each other before they hold up anybody else. */
  readonly owner?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What `search` and `get_schema` inside give back: any JSON, or a text. */
export interface SandboxDiscovery {
  search(query: string, limit: number | undefined): Promise<unknown>;
  schema(names: readonly string[]): Promise<unknown>;
}

export type SandboxErrorCode =
  | 'SYNTAX_ERROR'
  | 'RUNTIME_ERROR'
  | 'TIMEOUT'
  | 'MEMORY_LIMIT'
  | 'MAX_TOOL_CALLS_EXCEEDED'
  | 'SERIALIZATION_ERROR'
  | 'TRANSPILE_ERROR'
  | 'LANGUAGE_UNAVAILABLE'
  | 'CANCELLED';

export interface SandboxError {
  readonly code: SandboxErrorCode;
  readonly message: string;
  /** Where in the code as it was given, from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The code's own frames. */
  readonly stack?: string;
}

export type SandboxOutcome = SandboxReport & ({ ok: true; value: unknown } | { ok: false; error: SandboxError });

interface SandboxReport {
  /** What the code printed, a line each; cut at 64 kB. */
  readonly console: readonly string[];
  /** Calls of tools that were let through. */
  readonly calls: number;
  /** How long it ran, in ms. */
  readonly ms: number;
  /** The language it was read as, where nobody named one and both parsers took it. */
  readonly readAs?: 'javascript' | 'python';
}
