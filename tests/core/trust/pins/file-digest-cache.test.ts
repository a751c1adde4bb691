/** A file is read again only if it may have changed, which a clock set back does not hide. */
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { digestFile, FileDigestCache } from '../../../../src-main/core/trust/pins/file-digest-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-digests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Records which files were read. */
function counted(): { readonly digests: FileDigestCache; readonly read: string[] } {
  const read: string[] = [];
  const digests = new FileDigestCache((file) => {
    read.push(file);
    return digestFile(file);
  });
  return { digests, read };
}

test('reads an unchanged file once, and a changed one again even with the same size and time', async () => {
  const { digests, read } = counted();
  const file = join(folder, 'server.js');
  writeFileSync(file, 'good');
  const good = await digests.of(file);
  expect([await digests.of(file), read.length]).toEqual([good, 1]);
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'evil');
  utimesSync(file, atime, mtime);
  const evil = await digests.of(file);
  expect([evil, read.length]).toEqual([await digestFile(file), 2]);
  expect(evil).not.toBe(good);
  rmSync(file);
  expect(await digests.of(file)).toBeUndefined();
});

test('evicts the oldest of many files', async () => {
  const { digests, read } = counted();
  const files = Array.from({ length: 201 }, (_, at) => join(folder, `${at}.js`));
  for (const file of files) {
    writeFileSync(file, file);
    await digests.of(file);
  }
  await digests.of(files[200] ?? '');
  expect(read).toHaveLength(201);
  await digests.of(files[0] ?? '');
  expect(read).toHaveLength(202);
});
