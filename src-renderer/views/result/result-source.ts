/**
 * An answer that is looked at, wherever it lies: as a file that the core reads in parts, or as a text that the page
 * has.
 */
import type { RpcMethods, SpillLines, SpillRow } from '../../../src-main/rpc/contract.ts';

export interface AnswerSource {
  /** What it is called when it is saved, without an ending. */
  readonly name: string;
  readonly kind: SpillRow['kind'];
  readonly mimeType: string;
  /** Of what is read, in bytes; near enough for a page's own texts. */
  readonly bytes: number;
  /** undefined: not known before it is read. */
  readonly lines: number | undefined;
  /** All of it, to the byte. Rejects with AskError. */
  whole(signal: AbortSignal): Promise<Blob>;
  /** From 1. Rejects with AskError. */
  readLines(fromLine: number, count: number, signal: AbortSignal): Promise<SpillLines>;
  /** Lines that match a regular expression, upper and lower case alike. Rejects with AskError. */
  find(pattern: string, signal: AbortSignal): Promise<RpcMethods['spillFind']['output']>;
  /** The rows that a statement of SQL selects; undefined: it cannot be asked. Rejects with AskError. */
  readonly sql?: (statement: string, signal: AbortSignal) => Promise<RpcMethods['spillSql']['output']>;
  /** What a JSONPath selects, one value a line. Rejects with AskError. */
  query(path: string, signal: AbortSignal): Promise<RpcMethods['spillQuery']['output']>;
}

/** Of a path or a tool's name, what every system takes as the name of a file. */
export function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}.-]+/gu, '-').slice(0, 80);
}

export function isText({ kind }: Pick<AnswerSource, 'kind'>): boolean {
  return kind === 'text' || kind === 'json' || kind === 'toon';
}
