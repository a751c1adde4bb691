/** The store when the disk is full, the process is killed, or its files are damaged. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppError } from '../../../src-main/core/base/errors.ts';
import { canMount, mountSmall } from './small-disk.ts';
import { newHome, type OpenStore, openStore, origin, raw, reader, textResult } from './spill-fixture.ts';
import { someOf } from '../../support/all-cases.ts';

let home: string;
beforeEach(() => (home = newHome()));
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function keepText({ store }: OpenStore, text: string): Promise<string> {
  return (await store.spill(textResult(text), origin)).parts[0].spill.id;
}

function names(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('index.db'));
}

function failure(keeping: Promise<unknown>): Promise<unknown> {
  return keeping.then(
    () => 'was kept',
    (error: AppError) => ({ code: error.code, text: error.text }),
  );
}

describe('killed while writing', () => {
  // Early: while the first result is written; later: between others.
  test.each(someOf(2, [0, 60, 250, 500]))('after %d ms, keeps only whole results at the next start', async (ms) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-keeper.ts'), home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await sleep(ms);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await using open = await openStore({}, { home });
    const spills = open.store.list({ limit: 1000 });
    expect(spills.length).toBeGreaterThan(0);
    for (const spill of spills) {
      // Each result is a row of one letter that ends with its length.
      const text = readFileSync(spill.file, 'utf8');
      expect(text).toMatch(/^(.)\1*:\d+$/);
      expect(text.length - text.indexOf(':')).toBe(String(text.indexOf(':')).length + 1);
      expect(statSync(spill.file).size).toBe(spill.bytes);
    }
    expect(names(open.folder).sort()).toEqual(spills.map(({ file }) => file.slice(open.folder.length + 1)).sort());
    await expect(keepText(open, 'goes on')).resolves.toMatch(/^[a-z2-9]{20}$/);
  });
});

describe('cleanup at the next start', () => {
  test('deletes files without a row and temporary files of dead processes, and keeps others', async () => {
    await using open = await openStore({}, { home });
    const id = await keepText(open, 'kept');
    await open.store.close();
    const dead = spawn(process.execPath, ['-e', '0']);
    await once(dead, 'exit');
    const orphan = `files-read-${'a'.repeat(20)}.txt`;
    const drafts = [`.${'b'.repeat(20)}.${dead.pid}-1.tmp`, `.${'c'.repeat(20)}.${process.pid}-m0.tmp`];
    const alive = `.${'d'.repeat(20)}.${process.ppid}-1.tmp`;
    for (const name of [orphan, ...drafts, alive, 'notes.txt']) writeFileSync(join(open.folder, name), 'x');
    await using again = await openStore({}, { home });
    expect(names(again.folder).sort()).toEqual([alive, `files-read_file-${id}.txt`, 'notes.txt']);
    expect(again.store.list().map((spill) => spill.id)).toEqual([id]);
  });

  test('deletes rows without a file, and truncated results', async () => {
    await using open = await openStore({}, { home });
    const [gone, cut, whole] = [
      await keepText(open, 'gone'),
      await keepText(open, 'cut'),
      await keepText(open, 'whole'),
    ];
    rmSync(open.store.find(gone)?.file ?? '');
    expect(open.store.find(gone)).toBe(undefined);
    writeFileSync(open.store.find(cut)?.file ?? '', 'c');
    await open.store.close();
    await using again = await openStore({}, { home });
    expect(again.store.list().map(({ id }) => id)).toEqual([whole]);
    expect(names(again.folder)).toHaveLength(1);
  });

  test.each([
    ['not a database', (file: string) => writeFileSync(file, 'this is no database at all, '.repeat(1000))],
    ['damaged', (file: string) => damage(file)],
    ['without its table', (file: string) => sql(file, 'DROP TABLE spills')],
  ])('sets aside an index that is %s, and rebuilds it from the folder', async (_, spoil) => {
    await using open = await openStore({}, { home });
    const id = await keepText(open, '{"a":1}');
    await open.store.close();
    spoil(join(open.folder, 'index.db'));
    await using again = await openStore({}, { home });
    expect(again.store.find(id)).toMatchObject({ id, kind: 'json', bytes: 12, server: 'files', tool: 'read_file' });
    expect(readdirSync(again.folder)).toContain('index.db.corrupt');
    await expect(keepText(again, 'goes on')).resolves.toMatch(/^[a-z2-9]{20}$/);
  });
});

test('leaves an index of a newer version and its files alone, and spills beside it', async () => {
  await using open = await openStore({}, { home });
  const id = await keepText(open, '{"a":1}');
  const file = open.store.find(id)?.file ?? '';
  await open.store.close();
  sql(join(open.folder, 'index.db'), 'PRAGMA user_version = 99');
  const before = readFileSync(join(open.folder, 'index.db'));
  for (let run = 1; run <= 3; run++) {
    await using again = await openStore({}, { home });
    await keepText(again, 'goes on');
    expect(again.store.list()).toHaveLength(run);
  }
  expect(readFileSync(file, 'utf8')).toContain('"a"');
  expect(readFileSync(join(open.folder, 'index.db')).equals(before)).toBe(true);
  expect(readdirSync(open.folder).filter((name) => name.includes('corrupt'))).toEqual([]);
});

describe('while it is open', () => {
  test('creates a deleted folder again', async () => {
    await using open = await openStore({}, { home });
    const before = await keepText(open, 'before');
    rmSync(open.folder, { recursive: true });
    const after = await keepText(open, 'after');
    expect(open.store.list().map(({ id }) => id)).toEqual([after]);
    expect(open.store.find(before)).toBe(undefined);
    await open.store.close();
    await using again = await openStore({}, { home });
    expect(again.store.find(after)?.bytes).toBe(5);
  });

  test('fails to store one result, without blocking, while another process locks the index', async () => {
    await using open = await openStore({}, { home });
    const other = new DatabaseSync(join(open.folder, 'index.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(await failure(keepText(open, 'x'))).toMatchObject({ code: 'spill_failed' });
    expect(names(open.folder)).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await expect(keepText(open, 'y')).resolves.toMatch(/^[a-z2-9]{20}$/);
  });

  test('loses only the result of a thread that ends', async () => {
    const workerUrl = new URL('./dying-worker.ts', import.meta.url);
    await using open = await openStore({}, { home, workerUrl });
    const small = await keepText(open, 'small');
    const large = textResult('x'.repeat(1_000_000));
    expect(await failure(open.store.spill(large, origin))).toEqual({
      code: 'spill_failed',
      text: `The result could not be stored in ${open.folder}: the writer thread exited. Call the tool again, or request less.`,
    });
    expect(names(open.folder)).toEqual([`files-read_file-${small}.txt`]);
  });
});

describe.runIf(canMount())('on a small disk', () => {
  test('reports a full disk, leaves no file behind, and keeps other spills', async () => {
    await using disk = mountSmall(join(home, 'disk'), 8);
    await using open = await openStore({}, { home, folder: join(disk.path, 'spills') });
    const id = await keepText(open, 'kept before');
    for (const size of [20_000_000, 120_000]) {
      if (size < 1_000_000) disk.fill();
      const result = raw(JSON.stringify(textResult('x'.repeat(size))));
      expect(await failure(open.store.spill(result, origin))).toEqual({
        code: 'spill_failed',
        text: `The result could not be stored in ${open.folder}: the disk is full. Free disk space, or delete spilled results: tooltray spill prune.`,
      });
      expect(names(open.folder)).toEqual([`files-read_file-${id}.txt`]);
    }
    expect(readFileSync(open.store.find(id)?.file ?? '', 'utf8')).toBe('kept before');
    disk.empty();
    await expect(keepText(open, 'room again')).resolves.toMatch(/^[a-z2-9]{20}$/);
  });

  test('reports a read-only disk for each result until it can be written', async () => {
    await using disk = mountSmall(join(home, 'disk'), 8);
    disk.makeReadOnly(true);
    await using open = await openStore({}, { home, folder: join(disk.path, 'spills') });
    for (const text of ['first', 'second']) {
      expect(await failure(keepText(open, text))).toMatchObject({
        code: expect.stringMatching(/^(not_allowed|spill_failed)$/) as string,
        text: expect.stringContaining(open.folder) as string,
      });
    }
    disk.makeReadOnly(false);
    await expect(keepText(open, 'third')).resolves.toMatch(/^[a-z2-9]{20}$/);
  });

  test('keeps stored results when the disk becomes read-only', async () => {
    await using disk = mountSmall(join(home, 'disk'), 8);
    await using open = await openStore({}, { home, folder: join(disk.path, 'spills') });
    const id = await keepText(open, 'kept before');
    disk.makeReadOnly(true);
    for (const size of [10, 1_000_000]) {
      expect(await failure(open.store.spill(textResult('x'.repeat(size)), origin))).toEqual({
        code: 'spill_failed',
        text: `The result could not be stored in ${open.folder}: the disk is read-only. Make it writable, or set TOOLTRAY_HOME to another disk.`,
      });
    }
    await using opened = await open.store.open(id, reader);
    expect(await opened.handle.readFile('utf8')).toBe('kept before');
    disk.makeReadOnly(false);
  });
});

// Root can write everywhere.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'reports a folder that is not writable',
  async () => {
    await using open = await openStore({}, { home });
    chmodSync(open.folder, 0o500);
    expect(await failure(keepText(open, 'x'))).toMatchObject({
      code: 'spill_failed',
      text: expect.stringContaining('Tooltray has no write permission there') as string,
    });
    chmodSync(open.folder, 0o700);
  },
);

test('reports a file in place of the folder, and goes on', async () => {
  mkdirSync(join(home, 'data'));
  writeFileSync(join(home, 'data', 'spills'), 'a file');
  await using open = await openStore({}, { home, folder: join(home, 'data', 'spills') });
  expect(await failure(keepText(open, 'x'))).toMatchObject({ code: 'not_allowed' });
  expect([open.store.list(), open.store.usage().count]).toEqual([[], 0]);
});

/** Overwrites the middle of the file. */
function damage(file: string): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(statSync(file).size - 200, 0xff), 0, undefined, 200);
  closeSync(descriptor);
}

function sql(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}
