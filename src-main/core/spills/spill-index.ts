/** Index of all stored files, in SQLite. Rows are ordered by arrival, regardless of the clock. */
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { openPrivateDatabase, runInTransaction } from '../base/private-database.ts';
import { type Principal, localUser } from '../security/principal.ts';
import type { Spill, SpillKind } from './spill.ts';

export interface SpillFilter {
  /** Default: 100. */
  readonly limit?: number;
  /** Only spills older than this one. */
  readonly beforeId?: string;
  readonly server?: string;
  readonly app?: string;
  readonly sessionId?: string;
}

export interface SpillRow {
  readonly id: string;
  readonly answerId: string;
  readonly name: string;
  readonly bytes: number;
}

interface SpillRead {
  readonly id: string;
  readonly times: number;
  readonly at: number;
}

const columns = [
  ...['id', 'answerId', 'name', 'kind', 'mimeType', 'bytes', 'tokens', 'tokensEstimated', 'lines'],
  ...['sentBytes', 'sentTokens', 'sentEstimated'],
  ...[
    'createdAt',
    'pinned',
    'reads',
    'lastReadAt',
    'owner',
    'sessionId',
    'app',
    'server',
    'tool',
    'profiles',
    'preview',
  ],
] as const;

const oldestFirst = 'SELECT id, answerId, name, bytes FROM spills';

export class SpillIndex {
  readonly #database: DatabaseSync;
  readonly #folder: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, folder: string) {
    this.#database = database;
    this.#folder = folder;
  }

  /** Inserts all or none. `name`: of the file in the folder. */
  insert(spills: readonly { readonly spill: Spill; readonly name: string }[]): void {
    const sql = `INSERT INTO spills (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    runInTransaction(this.#database, () => {
      for (const { spill, name } of spills) this.#statement(sql).run(...valuesOf(spill, name));
    });
  }

  byId(id: string): Spill | undefined {
    return this.#spill(this.#statement('SELECT * FROM spills WHERE id = ?').get(id));
  }

  byName(name: string): Spill | undefined {
    return this.#spill(this.#statement('SELECT * FROM spills WHERE name = ?').get(name));
  }

  /** Newest first; only the reader's. */
  list({ limit = 100, beforeId, server, app, sessionId }: SpillFilter, { owner }: Principal): Spill[] {
    const wanted: [condition: string, value: string | undefined][] = [
      ['owner = ?', owner === localUser.owner ? undefined : owner],
      ['number < (SELECT number FROM spills WHERE id = ?)', beforeId],
      ['server = ?', server],
      ['app = ?', app],
      ['sessionId = ?', sessionId],
    ];
    const used = wanted.filter((each): each is [string, string] => each[1] !== undefined);
    const where = used.length === 0 ? '' : ` WHERE ${used.map(([condition]) => condition).join(' AND ')}`;
    const sql = `SELECT * FROM spills${where} ORDER BY number DESC LIMIT ?`;
    const rows = this.#statement(sql).all(...used.map(([, value]) => value), Math.max(0, Math.trunc(limit)));
    return rows.flatMap((row) => this.#spill(row) ?? []);
  }

  usage(): { bytes: number; count: number } {
    const row = this.#statement('SELECT COALESCE(SUM(bytes), 0) AS bytes, COUNT(*) AS count FROM spills').get();
    return { bytes: Number(row?.['bytes'] ?? 0), count: Number(row?.['count'] ?? 0) };
  }

  pin(id: string, pinned: boolean): boolean {
    return this.#statement('UPDATE spills SET pinned = ? WHERE id = ?').run(pinned ? 1 : 0, id).changes === 1;
  }

  /** Oldest first. */
  all(): SpillRow[] {
    return this.#rows(`${oldestFirst} ORDER BY number`);
  }

  unpinned(): SpillRow[] {
    return this.#rows(`${oldestFirst} WHERE pinned = 0 ORDER BY number`);
  }

  /**
   * Returns unpinned rows from before `time`, in ms since 1970. Rows that follow a younger one are excluded: the clock
   * was wrong.
   * Rows dated after `now` do not affect others.
   */
  unpinnedBefore(time: number, now: number): SpillRow[] {
    const first = 'SELECT min(number) FROM spills WHERE createdAt BETWEEN ? AND ?';
    const sql = `${oldestFirst} WHERE pinned = 0 AND createdAt < ? AND number < ifnull((${first}), 9e18) ORDER BY number`;
    return this.#rows(sql, time, time, now);
  }

  remove(ids: readonly string[]): void {
    runInTransaction(this.#database, () => {
      for (const id of ids) this.#statement('DELETE FROM spills WHERE id = ?').run(id);
    });
  }

  addReads(reads: readonly SpillRead[]): void {
    const sql = 'UPDATE spills SET reads = reads + ?, lastReadAt = ? WHERE id = ?';
    runInTransaction(this.#database, () => {
      for (const { id, times, at } of reads) this.#statement(sql).run(times, at, id);
    });
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #rows(sql: string, ...values: SQLInputValue[]): SpillRow[] {
    return this.#statement(sql).all(...values) as unknown as SpillRow[];
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #spill(row: Record<string, SQLOutputValue> | undefined): Spill | undefined {
    if (row === undefined) return undefined;
    const { name, kind, lines, pinned, tokensEstimated, sentBytes, sentTokens, sentEstimated, lastReadAt, profiles } =
      row;
    const { number: _number, name: _name, ...plain } = row;
    return {
      ...(plain as unknown as Spill),
      file: join(this.#folder, String(name)),
      kind: kind as SpillKind,
      lines: lines === null ? undefined : Number(lines),
      pinned: pinned === 1,
      tokensEstimated: tokensEstimated === 1,
      sentBytes: sentBytes === null ? undefined : Number(sentBytes),
      sentTokens: sentTokens === null ? undefined : Number(sentTokens),
      sentEstimated: sentEstimated === 1,
      lastReadAt: lastReadAt === null ? undefined : Number(lastReadAt),
      profiles: profiles === null ? undefined : String(profiles),
      preview: row['preview'] === null ? undefined : String(row['preview']),
    };
  }
}

/** In the order of `columns`. */
function valuesOf(spill: Spill, name: string): SQLInputValue[] {
  return columns.map((column) => {
    const value = column === 'name' ? name : spill[column];
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (value === undefined) return null;
    // Names come from servers and client apps: they may contain half of a surrogate pair.
    return typeof value === 'string' ? value.toWellFormed() : value;
  });
}

// The database of the index: its tables, as migration steps (`DatabaseKind.steps`).

const spillSteps: readonly string[] = [
  `CREATE TABLE spills (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    answerId TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    mimeType TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    tokensEstimated INTEGER NOT NULL,
    lines INTEGER,
    sentBytes INTEGER,
    sentTokens INTEGER,
    sentEstimated INTEGER NOT NULL DEFAULT 0,
    createdAt INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    reads INTEGER NOT NULL DEFAULT 0,
    lastReadAt INTEGER,
    owner TEXT NOT NULL,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    profiles TEXT,
    preview TEXT
  ) STRICT;
  CREATE INDEX spillsByTime ON spills (createdAt);
  CREATE INDEX spillsBySize ON spills (bytes)`,
];

/** Throws as openPrivateDatabase does. */
export function openSpillDatabase(file: string): DatabaseSync {
  return openPrivateDatabase(file, spillIndexKind);
}

export const spillIndexKind = { name: 'The index of spilled results', steps: spillSteps };

// Interval at which read counts are written, in ms; they are counted in memory first.

const flushMs = 1_000;

export class ReadCounts {
  readonly #write: (reads: readonly SpillRead[]) => void;
  readonly #now: () => number;
  readonly #reads = new Map<string, { times: number; at: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (reads: readonly SpillRead[]) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  add(id: string): void {
    this.#reads.set(id, { times: (this.#reads.get(id)?.times ?? 0) + 1, at: Math.trunc(this.#now()) });
    this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#reads.size === 0) return;
    const reads = [...this.#reads].map(([id, read]) => ({ id, ...read }));
    this.#reads.clear();
    this.#write(reads);
  }
}
