/** Keeps an SQLite file within a bound of bytes: the oldest rows of its tables go, by ids that grow. */
import type { DatabaseSync } from 'node:sqlite';
import { prepareCached } from '../base/private-database.ts';

type Table = 'calls' | 'steps' | 'texts';

/**
 * Deletes the oldest rows that take too much room, as many in a hundred of each table; their pages are used again or
 * given back.
 */
export function deleteOldest(database: DatabaseSync, tables: readonly Table[], maxBytes: number): void {
  for (let used = usedBytes(database); used > maxBytes; used = usedBytes(database)) {
    const share = (used - maxBytes * 0.95) / used;
    const counted = tables.map((table) => ({
      table,
      rows: queryNumber(database, `SELECT count(*) AS n FROM ${table}`),
    }));
    if (counted.every(({ rows }) => rows === 0)) break;
    for (const { table, rows } of counted) {
      const first = `SELECT id FROM ${table} ORDER BY id LIMIT 1 OFFSET ${Math.ceil(rows * share)}`;
      // No row is left behind the last.
      database.exec(`DELETE FROM ${table} WHERE id < coalesce((${first}), ${Number.MAX_SAFE_INTEGER})`);
    }
  }
  const surplus = fileBytes(database) - maxBytes;
  // No more than is needed: each page that moves is written once more.
  if (surplus > 0) database.prepare(`PRAGMA incremental_vacuum(${Math.ceil(surplus / pageBytes(database))})`).all();
}

/** Returns the column `n` of a query; 0 if it returns no row. */
export function queryNumber(database: DatabaseSync, sql: string): number {
  return Number(prepareCached(database, sql).get()?.['n'] ?? 0);
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
