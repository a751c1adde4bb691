/** A file is read again only when it may be another one, and no clock that was set back hides that. */
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { digestFile, FileDigestCache } from '../../../../src-main/core/trust/pins/file-digest-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-digests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells how often a file was read. */
function counted(): { readonly digests: FileDigestCache; readonly read: string[] } {
  const read: string[] = [];
  const digests = new FileDigestCache((file) => {
    read.push(file);
    return digestFile(file);
  });
  return { digests, read };
}

test('one that is as it was is read once; one of the same size and time with other words in it is read again', async () => {
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

test('of many files the oldest are read anew', async () => {
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
