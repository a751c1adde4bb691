/**
 * Which tools this person's calls used lately: what searches rank a little higher. Bounded, and read from the record
 * once.
 */
import type { DatabaseSync } from 'node:sqlite';

/** Calls back from the newest, and tools among them. */
const maxScannedCalls = 5_000;
const maxTools = 200;

export class RecentTools {
  /** Ids (`server:tool`), the latest used last; undefined until somebody asks. */
  #ids: Set<string> | undefined;

  /** Notes a call that ended well. */
  note(server: string, tool: string): void {
    if (this.#ids === undefined) return;
    const id = `${server}:${tool}`;
    this.#ids.delete(id);
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= maxTools) break;
      this.#ids.delete(oldest);
    }
  }

  /** `open` is asked the first time only. Throws what SQLite throws. */
  ids(open: <T>(ask: (database: DatabaseSync) => T) => T): ReadonlySet<string> {
    this.#ids ??= new Set(open(latestUsed).toReversed());
    return this.#ids;
  }
}

/** The latest used first. */
function latestUsed(database: DatabaseSync): string[] {
  const rows = database
    .prepare(
      `SELECT server, tool, max(id) AS latest FROM (SELECT id, server, tool, outcome FROM calls ORDER BY id DESC LIMIT ?)
       WHERE outcome = 'ok' GROUP BY server, tool ORDER BY latest DESC LIMIT ?`,
    )
    .all(maxScannedCalls, maxTools);
  return rows.map((row) => `${String(row['server'])}:${String(row['tool'])}`);
}
