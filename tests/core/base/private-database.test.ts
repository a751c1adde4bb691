/** SQLite files: migrated step by step, rejected if newer, moved aside if corrupt. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RecoveringDatabase } from '../../../src-main/core/base/recovering-database.ts';
import {
  asideNames,
  isCorruptError,
  NewerDatabaseError,
  openPrivateDatabase,
  moveCorruptFile,
  runInTransaction,
} from '../../../src-main/core/base/private-database.ts';

const steps = ['CREATE TABLE notes (text TEXT)', 'ALTER TABLE notes ADD COLUMN at INTEGER DEFAULT 7'];
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-database-'));
  file = join(folder, 'notes.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

function open(count: number) {
  return openPrivateDatabase(file, { name: 'The notebook', steps: steps.slice(0, count) });
}

test('migrates an older file step by step, and keeps its data', () => {
  const old = open(1);
  old.exec("INSERT INTO notes VALUES ('kept')");
  old.close();
  const database = open(2);
  expect({ ...database.prepare('SELECT * FROM notes').get() }).toEqual({ text: 'kept', at: 7 });
  database.close();
});

test('rejects a file of a newer version, names it, and leaves it unchanged', () => {
  open(2).close();
  const before = readFileSync(file);
  const failure = catching(() => open(1));
  expect(failure).toBeInstanceOf(NewerDatabaseError);
  expect([(failure as Error).message, isCorruptError(failure)]).toEqual([expect.stringContaining(file), false]);
  expect(readFileSync(file).equals(before)).toBe(true);
  open(2).close();
});

test('writes beside a file of a newer version, and to the file itself once that is gone', () => {
  open(2).close();
  const before = readFileSync(file);
  const kind = { name: 'The notebook', steps: steps.slice(0, 1) };
  const aside: string[] = [];
  const count = (): unknown => {
    const store = new RecoveringDatabase(file, kind, (name) => aside.push(name));
    store.use((database) => database.exec("INSERT INTO notes VALUES ('old')"));
    const counted = store.use((database) => database.prepare('SELECT count(*) AS n FROM notes').get()?.['n']);
    store.close();
    return counted;
  };
  expect([count(), count(), count()]).toEqual([1, 2, 3]);
  expect([readFileSync(file).equals(before), aside]).toEqual([true, []]);
  expect(readdirSync(folder).toSorted()).toEqual(['notes.db', 'notes.v1.db']);
  rmSync(file);
  expect(count()).toBe(1);
});

test('treats missing tables and columns as a corrupt file', () => {
  const database = open(1);
  const told = (sql: string): unknown => isCorruptError(catching(() => database.exec(sql)));
  const notOurs = [
    'SELECT * FROM others',
    'SELECT at FROM notes',
    'INSERT INTO notes (at) VALUES (1)',
    'DROP TABLE others',
  ];
  expect(notOurs.map(told)).toEqual([true, true, true, true]);
  database.exec('CREATE VIRTUAL TABLE words USING fts5(word)');
  database.close();
  // Through another connection, since ours is defensive.
  const plain = new DatabaseSync(file, { defensive: false });
  plain.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'words_config'");
  plain.close();
  const again = open(1);
  expect(isCorruptError(catching(() => again.exec('SELECT * FROM words')))).toBe(true);
  again.close();
});

test('treats a file of a format unknown to SQLite as corrupt', () => {
  open(1).close();
  const bytes = readFileSync(file);
  // The schema format, of which there are four.
  bytes.writeUInt32BE(5, 44);
  writeFileSync(file, bytes);
  const failure = catching(() => open(1));
  expect([String(failure), isCorruptError(failure)]).toEqual([
    expect.stringContaining('unsupported file format'),
    true,
  ]);
});

test('does not treat an SQL error as a corrupt file', () => {
  const database = open(1);
  const told = (sql: string): unknown => isCorruptError(catching(() => database.exec(sql)));
  const mistakes = ['SELEC', 'COMMIT', 'BEGIN; BEGIN', 'ROLLBACK TO nowhere', 'SELECT json(1, 2)', "SELECT json('{')"];
  expect(mistakes.map(told)).toEqual([false, false, false, false, false, false]);
  database.close();
});

test('sets a corrupt file aside with its companions, and keeps two of them', () => {
  for (const text of ['first', 'second', 'third']) {
    for (const ending of ['', '-wal', '-shm']) writeFileSync(file + ending, text);
    expect(isCorruptError(catching(() => open(1)))).toBe(true);
    expect(moveCorruptFile(file)).toBe(`${file}.corrupt`);
  }
  expect(existsSync(file)).toBe(false);
  expect(asideNames(file).map((name) => readFileSync(name, 'utf8'))).toEqual(['third', 'second']);
  open(1).close();
  expect(readdirSync(folder).filter((name) => name.startsWith('notes.db-'))).toEqual([]);
});

test.runIf(existsSync('/proc/self/fd'))('uses no temporary file outside its folder for a rollback', () => {
  const database = open(1);
  database.exec('CREATE INDEX notesByText ON notes (text); BEGIN');
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  for (let row = 0; row < 200; row++) insert.run(`secret ${row} ${'x'.repeat(1000)}`);
  let openThen: string[] = [];
  runInTransaction(database, () => {
    database.exec("UPDATE notes SET text = text || ' more'");
    openThen = openFiles();
  });
  database.exec('COMMIT');
  database.close();
  expect(openThen.filter((path) => path.includes('etilqs'))).toEqual([]);
  expect(openThen.filter((path) => path.startsWith(folder)).length).toBeGreaterThan(0);
});

/** Open files. SQLite's temporary files have no name. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return [];
    }
  });
}

function catching(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
