/**
 * Full-text index of call payloads, one index table per segment of rows. Pruning drops whole indexes, and the index of
 * a partly pruned segment is rebuilt, so that no word of a deleted text stays on disk.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { payloadSides } from '../payload.ts';
import { type PackedPayloads, type PayloadTexts, unpackPayloads } from './pack-payloads.ts';

export interface PayloadMatches {
  /** Ids of calls and steps, most recently stored payloads first. */
  readonly ids: readonly number[];
  /** Whether there are more matches than the limit. */
  readonly more: boolean;
}

/** Rows per segment; building the index of one takes a second or two in the activity thread. */
const rowsPerSegment = 4096;
/** Indexed length of each text, in characters; later text is not found. */
export const indexedLength = 16_000;
/** Number of older segments that are indexed at a time. */
const maxMissingRows = 2;
const maxWords = 12;

export class PayloadIndex {
  #isThere: boolean | undefined;
  readonly #known = new Set<number>();
  /** The insert statement of the newest segment, because compiling it takes longer than inserting a row. */
  #insert: { readonly stretch: number; readonly statement: StatementSync } | undefined;

  /** Drops cached state after the file was replaced. */
  reset(): void {
    this.#isThere = undefined;
    this.#known.clear();
    this.#insert = undefined;
  }

  /** Call it inside of the transaction that writes the row. */
  add(database: DatabaseSync, row: number, texts: PayloadTexts): void {
    if (!this.#works(database)) return;
    const stretch = stretchOf(row);
    if (!this.#known.has(stretch)) make(database, stretch);
    this.#known.add(stretch);
    if (this.#insert?.stretch !== stretch) this.#insert = { stretch, statement: insertInto(database, stretch) };
    this.#insert.statement.run(row, wordsIn(texts));
  }

  /** Matches the indexes to the existing rows. `wasPruned`: the oldest segment may have lost rows. */
  reconcile(database: DatabaseSync, wasPruned: boolean): void {
    if (!this.#works(database)) return;
    const indexed = stretchesOf(database);
    const { first, last } = database.prepare('SELECT min(id) AS first, max(id) AS last FROM texts').get() ?? {};
    const [oldest, newest] = [first, last].map((id) => (typeof id === 'number' ? stretchOf(id) : Infinity));
    for (const stretch of indexed.filter((one) => one < (oldest ?? Infinity))) drop(database, stretch);
    this.#known.clear();
    if (oldest === undefined || newest === undefined || oldest === Infinity) return;
    if (wasPruned && indexed.includes(oldest) && Number(first) > oldest * rowsPerSegment) remake(database, oldest);
    const there = new Set(indexed);
    for (let stretch = newest, left = maxMissingRows; stretch >= oldest && left > 0; stretch--) {
      if (there.has(stretch)) continue;
      remake(database, stretch);
      left--;
    }
  }

  /** Texts that contain every word of `text` as a prefix, not older than `since` (ms since the epoch). */
  find(database: DatabaseSync, text: string, since: number, limit: number): PayloadMatches {
    const query = matchOf(text);
    if (query === undefined || !this.#works(database)) return { ids: [], more: false };
    const ids: number[] = [];
    for (const stretch of stretchesOf(database).toReversed()) {
      const rows = database
        .prepare(
          `SELECT texts.call AS id FROM said${stretch} JOIN texts ON texts.id = said${stretch}.rowid
           WHERE said${stretch} MATCH ? AND texts.startedAt >= ? ORDER BY said${stretch}.rowid DESC LIMIT ?`,
        )
        .all(query, since, limit + 1 - ids.length);
      ids.push(...rows.map(({ id }) => Number(id)));
      if (ids.length > limit) break;
    }
    return { ids: ids.slice(0, limit), more: ids.length > limit };
  }

  #works(database: DatabaseSync): boolean {
    const query = "SELECT sqlite_compileoption_used('ENABLE_FTS5') AS has";
    this.#isThere ??= database.prepare(query).get()?.['has'] === 1;
    return this.#isThere;
  }
}

function stretchOf(row: number): number {
  return Math.floor(row / rowsPerSegment);
}

/** Oldest first. */
function stretchesOf(database: DatabaseSync): readonly number[] {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'");
  return tables
    .all()
    .map(({ name }) => Number(String(name).slice('said'.length)))
    .toSorted((a, b) => a - b);
}

/** Indexes words without positions: a third of the size, and phrases are not searched. */
function make(database: DatabaseSync, stretch: number): void {
  database.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS said${stretch} USING fts5(words, content = '', columnsize = 0,
    detail = none, tokenize = 'unicode61 remove_diacritics 2')`);
}

function insertInto(database: DatabaseSync, stretch: number): StatementSync {
  return database.prepare(`INSERT INTO said${stretch} (rowid, words) VALUES (?, ?)`);
}

function drop(database: DatabaseSync, stretch: number): void {
  database.exec(`DROP TABLE said${stretch}`);
}

function remake(database: DatabaseSync, stretch: number): void {
  database.exec(`DROP TABLE IF EXISTS said${stretch}`);
  make(database, stretch);
  const insert = insertInto(database, stretch);
  const rows = database.prepare('SELECT id, codec, sides, body FROM texts WHERE id BETWEEN ? AND ?');
  for (const row of rows.iterate(stretch * rowsPerSegment, (stretch + 1) * rowsPerSegment - 1)) {
    insert.run(Number(row['id']), readable(row as unknown as PackedPayloads));
  }
}

/** A damaged row matches no search; reading it reports the damage. */
function readable(row: PackedPayloads): string {
  try {
    return wordsIn(unpackPayloads(row));
  } catch {
    return '';
  }
}

/** Returns the texts of JSON as one unescaped text, because an escape would join the following word. */
function wordsIn(texts: PayloadTexts): string {
  const said = payloadSides.flatMap((side) => {
    const one = texts[side];
    return 'none' in one ? [] : one.text.slice(0, indexedLength);
  });
  return said
    .join(' ')
    .replace(/\\+u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toWellFormed()
    .replace(/(\\+)([bfnrt])(\w*)/g, escaped);
}

/** Two backslashes are a line break in a nested text, or part of a Windows path; both readings are indexed. */
function escaped(_all: string, slashes: string, letter: string, word: string): string {
  return slashes.length === 1 ? ` ${word}` : ` ${word} ${letter}${word}`;
}

/** Letters and digits only. */
export function searchWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)?.slice(0, maxWords) ?? [];
}

/** Undefined if the text has no word. */
function matchOf(text: string): string | undefined {
  const words = searchWords(text);
  return words.length === 0 ? undefined : words.map((word) => `"${word}"*`).join(' AND ');
}
