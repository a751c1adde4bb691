/** Keeps a table of an SQLite file within a bound of bytes: the oldest rows go, by ids that grow. */
import type { DatabaseSync } from 'node:sqlite';

/** Deletes the oldest rows that take too much room; their pages are used again or given back. The table has a whole number `id`. */
export function deleteOldest(database: DatabaseSync, table: 'calls' | 'texts', maxBytes: number): void {
  // Ids have few gaps, so counting them is a subtraction.
  for (let used = usedBytes(database); used > maxBytes; used = usedBytes(database)) {
    const rows = number(database, `SELECT max(id) - min(id) + 1 AS n FROM ${table}`);
    if (rows === 0) break;
    const surplus = Math.ceil((rows * (used - maxBytes * 0.95)) / used);
    database.prepare(`DELETE FROM ${table} WHERE id < (SELECT min(id) FROM ${table}) + ?`).run(surplus);
  }
  if (fileBytes(database) > maxBytes) database.exec('PRAGMA incremental_vacuum');
}

/** What a query answers as `n`; 0 for nothing. */
export function number(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(sql).get()?.['n'] ?? 0);
}

function usedBytes(database: DatabaseSync): number {
  const free = number(database, 'SELECT freelist_count AS n FROM pragma_freelist_count');
  return fileBytes(database) - free * number(database, 'SELECT page_size AS n FROM pragma_page_size');
}

function fileBytes(database: DatabaseSync): number {
  return number(database, 'SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size');
}
