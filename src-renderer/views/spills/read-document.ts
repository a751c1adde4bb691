/** A kept answer as data: whole where it is small enough for a page, else the part that a JSONPath selects. */
import type { SpillRow } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { SpelledNumber } from './json-tree.ts';

export interface SpillDocument {
  readonly value: unknown;
  /** The JSONPath that selected it; undefined: it is all. */
  readonly path: string | undefined;
  /** More was selected than is there. */
  readonly isCut: boolean;
}

/** Larger ones would hold up the page while they are read. */
const longestWhole = 24_000_000;

/** Integers of 16 digits and more, and exponents beyond a double: what parsing would change. */
const lossyNumber = /(?<=[[:,\s])-?\d(?:\d{15,}|[\d.]*[eE][+-]?\d{3,})(?=[\],}\s]|$)/g;

export function isReadWhole({ kind, bytes }: SpillRow): boolean {
  return kind === 'json' && bytes <= longestWhole;
}

/** Rejects with AskError, or SyntaxError for what is no JSON. */
export async function readWholeDocument({ id }: SpillRow, signal: AbortSignal): Promise<SpillDocument> {
  const text = await (await api.readSpill(id, signal)).text();
  return { value: parseSpelled(text), path: undefined, isCut: false };
}

/** Rejects with AskError. */
export async function readPart({ id }: SpillRow, path: string, signal: AbortSignal): Promise<SpillDocument> {
  const { text, truncated } = await api.ask('spillQuery', { id, query: path }, signal);
  return { ...partOf(text, truncated), path };
}

/** What a query answers, one value a line; one alone stands for itself. What was cut in the middle is left out. */
export function partOf(text: string, isCut: boolean): Pick<SpillDocument, 'value' | 'isCut'> {
  const values = text.split('\n').flatMap((line) => {
    try {
      return [parseSpelled(line)];
    } catch {
      return [];
    }
  });
  return { value: values.length === 1 && !isCut ? values[0] : values, isCut };
}

/** As JSON.parse, but numbers that a double cannot hold stay as they are spelled. */
export function parseSpelled(text: string): unknown {
  if (text.search(lossyNumber) < 0) return JSON.parse(text) as unknown;
  return JSON.parse(text, spelled);
}

function spelled(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  // Browsers before 2025 give no source: there the number is shown as near as a double comes.
  if (typeof value !== 'number' || source === undefined || !new RegExp(lossyNumber).test(` ${source} `)) return value;
  return new SpelledNumber(source);
}
