/** Excerpts of payloads around a word of a search, for the rows of a page. */
import type { DatabaseSync } from 'node:sqlite';
import type { Masker } from '../../base/mask.ts';
import { payloadSides, type Snippet } from '../payload.ts';
import { type PayloadTexts, unpackPayloads } from './pack-payloads.ts';
import { indexedLength, searchWords } from './payload-index.ts';
import type { PayloadKey } from './payload-table.ts';
import type { Recorder } from './recorder.ts';

/** Rows with an excerpt, and characters looked through for one page: other questions wait meanwhile. */
const [maxRows, maxCharacters] = [60, 2_000_000];
const [lengthBefore, lengthAfter] = [30, 110];

/** A row of a page: its payloads are its own, or those of its calls. */
export interface SnippetRow {
  readonly id: number;
  readonly payloads: readonly PayloadKey[];
}

/** Snippets by row ID; rows without a match in their payloads are absent. */
export function findSnippets(
  database: DatabaseSync,
  text: string,
  rows: readonly SnippetRow[],
  { recorder: { file, payloads }, masker }: { readonly recorder: Recorder; readonly masker: Masker },
): ReadonlyMap<number, Snippet> {
  const now = Date.now();
  let left = maxCharacters;
  const snippetOf = (key: PayloadKey): Snippet | undefined => {
    const packed = left > 0 ? payloads.find(database, key, file.payloads, now) : undefined;
    if (packed === undefined) return undefined;
    try {
      const texts = unpackPayloads(packed);
      left -= payloadSides.reduce((sum, side) => sum + ('text' in texts[side] ? texts[side].text.length : 0), 0);
      return snippetIn(texts, text, masker);
    } catch {
      // Reading the payload itself reports the damage.
      return undefined;
    }
  };
  const found = rows.slice(0, maxRows).flatMap(({ id, payloads: keys }) => {
    for (const key of keys) {
      const snippet = snippetOf(key);
      if (snippet !== undefined) return [[id, snippet] as const];
    }
    return [];
  });
  return new Map(found);
}

/** The first place of any searched word at the beginning of a word, with its surroundings; undefined if there is none. */
export function snippetIn(texts: PayloadTexts, text: string, masker: Masker): Snippet | undefined {
  const words = searchWords(text);
  if (words.length === 0) return undefined;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])(?:${words.join('|')})`, 'iu');
  for (const side of [texts.request, texts.modelResult, texts.serverResult]) {
    if ('none' in side) continue;
    const plain = readable(masker.maskText(side.text).slice(0, indexedLength));
    const match = pattern.exec(plain);
    if (match === null) continue;
    const end = match.index + match[0].length;
    const start = Math.max(0, match.index - lengthBefore);
    return {
      before: `${start > 0 ? '…' : ''}${plain.slice(start, match.index)}`.toWellFormed(),
      match: match[0],
      after: plain.slice(end, end + lengthAfter).toWellFormed(),
    };
  }
  return undefined;
}

/** Without the escapes of JSON, on one line. */
function readable(json: string): string {
  return json
    .replace(/\\+[bfnrt]/g, ' ')
    .replace(/\\+"/g, '"')
    .replace(/\s+/g, ' ');
}
