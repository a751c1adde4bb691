/** Keeps the activity database within its size limits: one for payloads, and one for everything else. */
import type { DatabaseSync } from 'node:sqlite';
import { prepareCached } from '../../base/private-database.ts';

type Table = 'calls' | 'steps' | 'texts';

export interface SizeLimits {
  /** Limit of everything but payloads. */
  readonly maxBytes: number;
  /** Limit of payloads with their index. */
  readonly maxPayloadBytes: number;
}

/** Deletes the oldest rows beyond the limits. Returns whether payloads were among them. */
export function trimToSize(database: DatabaseSync, { maxBytes, maxPayloadBytes }: SizeLimits): boolean {
  const used = usedBytes(database);
  let [others, isTrimmed] = [used, false];
  if (used > Math.min(maxBytes, maxPayloadBytes)) {
    const hasPayloads = queryNumber(database, 'SELECT count(*) AS n FROM (SELECT 1 FROM texts LIMIT 1)') > 0;
    others = hasPayloads ? recordBytes(database) : used;
    const payloadBytes = (): number => usedBytes(database) - others;
    if (hasPayloads) isTrimmed = deleteOldest(database, ['texts'], maxPayloadBytes, payloadBytes);
    deleteOldest(
      database,
      ['calls', 'steps'],
      maxBytes,
      hasPayloads ? () => recordBytes(database) : () => usedBytes(database),
    );
  }
  const surplus = fileBytes(database) - maxBytes - (others === used ? 0 : maxPayloadBytes);
  // Only as much as needed, because every moved page is written again.
  if (surplus > 0) database.prepare(`PRAGMA incremental_vacuum(${Math.ceil(surplus / pageBytes(database))})`).all();
  return isTrimmed;
}

/** Deletes the oldest rows, the same share of each table. Returns whether there were any. */
function deleteOldest(database: DatabaseSync, tables: readonly Table[], maxBytes: number, size: () => number): boolean {
  let isTrimmed = false;
  for (let used = size(); used > maxBytes; used = size()) {
    const share = (used - maxBytes * 0.95) / used;
    const counted = tables.map((table) => ({
      table,
      rows: queryNumber(database, `SELECT count(*) AS n FROM ${table}`),
    }));
    if (counted.every(({ rows }) => rows === 0)) break;
    isTrimmed = true;
    for (const { table, rows } of counted) {
      const first = `SELECT id FROM ${table} ORDER BY id LIMIT 1 OFFSET ${Math.ceil(rows * share)}`;
      // Deletes all rows up to the last one.
      database.exec(`DELETE FROM ${table} WHERE id < coalesce((${first}), ${Number.MAX_SAFE_INTEGER})`);
    }
  }
  return isTrimmed;
}

/** Returns the column `n` of a query; 0 if it returns no row. */
export function queryNumber(database: DatabaseSync, sql: string): number {
  return Number(prepareCached(database, sql).get()?.['n'] ?? 0);
}

/** Size of everything except payloads and their index, in bytes. Reads all of these pages. */
function recordBytes(database: DatabaseSync): number {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE rootpage > 0 AND name NOT LIKE 'texts%' AND name NOT LIKE 'said%'")
    .all();
  const size = database.prepare('SELECT pgsize AS n FROM dbstat WHERE aggregate = TRUE AND name = ?');
  return names.reduce((sum, { name }) => sum + Number(size.get(name ?? null)?.['n'] ?? 0), 0);
}

function usedBytes(database: DatabaseSync): number {
  const free = queryNumber(database, 'SELECT freelist_count AS n FROM pragma_freelist_count');
  return fileBytes(database) - free * pageBytes(database);
}

function pageBytes(database: DatabaseSync): number {
  return queryNumber(database, 'SELECT page_size AS n FROM pragma_page_size');
}

function fileBytes(database: DatabaseSync): number {
  return queryNumber(database, 'SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size');
}
