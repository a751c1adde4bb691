/** A result being viewed: a file that the core reads in parts, or a text in the page. */
import type { RpcMethods, SpillLines, SpillRow } from '../../../src-main/rpc/contract.ts';

export interface AnswerSource {
  /** File name for saving, without extension. */
  readonly name: string;
  readonly kind: SpillRow['kind'];
  readonly mimeType: string;
  /** Size in bytes; approximate for the page's own texts. */
  readonly bytes: number;
  /** undefined until it is read. */
  readonly lines: number | undefined;
  /** The original bytes. Rejects with ApiError. */
  whole(signal: AbortSignal): Promise<Blob>;
  /** 1-based. Rejects with ApiError. */
  readLines(fromLine: number, count: number, signal: AbortSignal): Promise<SpillLines>;
  /** Lines that match a regular expression, case-insensitive. Rejects with ApiError. */
  find(pattern: string, signal: AbortSignal): Promise<RpcMethods['spillFind']['output']>;
  /** Result rows of a SQL statement; undefined: not supported. Rejects with ApiError. */
  readonly sql?: (statement: string, signal: AbortSignal) => Promise<RpcMethods['spillSql']['output']>;
  /** Results of a JSONPath, one value per line. Rejects with ApiError. */
  query(path: string, signal: AbortSignal): Promise<RpcMethods['spillQuery']['output']>;
}

/** Converts a path or a tool's name to a file name that is valid on every system. */
export function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}.-]+/gu, '-').slice(0, 80);
}

export function isText({ kind }: Pick<AnswerSource, 'kind'>): boolean {
  return kind === 'text' || kind === 'json' || kind === 'toon';
}
