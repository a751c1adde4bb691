/** Errors of the operating system and of SQLite, as sentences. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { AppError, errorText } from '../../../src-main/core/base/errors.ts';
import { systemErrorText, systemFailure, withPath } from '../../../src-main/core/base/system-errors.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

test('names the path and the fix of a failed file operation instead of its errno', () => {
  const file = join(tmpdir(), 'tooltray-is-not-there', 'file');
  const error = thrownBy(() => readFileSync(file));
  expect(systemFailure(error)).toMatchObject({ code: 'ENOENT', path: file });
  expect(errorText(error)).toBe(`Cannot open ${file}: it does not exist. Check the path.`);
  expect(errorText(thrownBy(() => writeFileSync(tmpdir(), '')))).not.toMatch(/EISDIR/);
});

test('reads the codes of SQLite, and adds the file that its errors lack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-errors-'));
  const file = join(folder, 'no.db');
  writeFileSync(file, Buffer.alloc(4096, 7));
  const database = new DatabaseSync(file);
  const error = thrownBy(() => database.exec('CREATE TABLE a (b)'));
  database.close();
  expect(systemFailure(error)).toMatchObject({ code: 'NOTADB', path: undefined });
  expect(systemErrorText(withPath(error, file))).toContain(file);
  rmSync(folder, { recursive: true });
});

test('leaves network errors and AppErrors unchanged', async () => {
  const socket = connect(join(tmpdir(), 'tooltray-no-socket'));
  const [error] = (await once(socket, 'error')) as [Error];
  expect(systemFailure(error)).toBeUndefined();
  expect(systemFailure(new AppError('internal', 'x'))).toBeUndefined();
  expect(systemFailure('ENOSPC')).toBeUndefined();
});
