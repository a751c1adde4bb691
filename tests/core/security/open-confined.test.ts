/** Opens what was checked, also while it is replaced by a link that leads outside. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { confinePath } from '../../../src-main/core/security/confine-path.ts';
import { openConfined, openReal } from '../../../src-main/core/security/open-confined.ts';
import { anchorFolder, writeConfined, type WriteMode } from '../../../src-main/core/security/write-confined.ts';
import { makeFolders, refusal, secret } from './confined-folders.ts';
import { swapping } from './swapping.ts';

const swapRounds = 500;
const onWindows = process.platform === 'win32';

let base: string;
let root: string;
let other: string;

beforeAll(async () => {
  ({ base, root, other } = await makeFolders());
});

afterAll(() => rm(base, { recursive: true, force: true }));

test('does not open a path that became a link after the check', async () => {
  const { real } = await confinePath([root], 'sub/note.txt');
  await rename(join(root, 'sub'), join(root, 'sub-moved'));
  await symlink(join(other, 'sub'), join(root, 'sub'));
  const code = await refusal(openReal(real, constants.O_RDONLY));
  await rm(join(root, 'sub'));
  await rename(join(root, 'sub-moved'), join(root, 'sub'));
  expect(code).toBe('not_allowed');
});

test('rejects flags that create or truncate, since they act before the check', async () => {
  const codes = [constants.O_CREAT, constants.O_TRUNC].map((flag) => refusal(openConfined([root], 'note.txt', flag)));
  expect(await Promise.all(codes)).toEqual(['internal', 'internal']);
});

describe.skipIf(onWindows)('while a path is swapped for a link that leads outside', () => {
  let race: string;

  beforeEach(async () => {
    race = join(root, 'race');
    await rm(race, { recursive: true, force: true });
    await mkdir(join(race, 'folder'), { recursive: true });
    await writeFile(join(race, 'folder', 'note.txt'), 'inside race');
    await writeFile(join(race, 'file'), 'inside race');
  });

  async function outcome(open: Promise<FileHandle>): Promise<string> {
    try {
      await using handle = await open;
      return await handle.readFile('utf8');
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  }

  /** Outcomes of at least 500 rounds, until reads have both succeeded and been rejected. */
  async function readRounds(path: string): Promise<string[]> {
    const seen = new Set<string>();
    for (let round = 0; round < swapRounds || !seen.has('inside race') || !seen.has('not_allowed'); round++) {
      seen.add(await outcome(openConfined([root], path).then(({ handle }) => handle)));
      seen.add(await outcome(openReal(join(root, path), constants.O_RDONLY)));
    }
    return [...seen];
  }

  const harmless = ['inside race', 'not_allowed', 'not_found'];

  test('never reads the content outside when reading a file 500 times', async () => {
    await using _swapping = await swapping(join(race, 'file'), join(other, 'secret.txt'));
    expect(harmless).toEqual(expect.arrayContaining(await readRounds('race/file')));
  });

  test('never reads the content outside when reading in the swapped folder 500 times', async () => {
    await using _swapping = await swapping(join(race, 'folder'), join(other, 'sub'));
    expect(harmless).toEqual(expect.arrayContaining(await readRounds('race/folder/note.txt')));
  });

  test('never changes anything outside when writing in the swapped folder 500 times', async () => {
    await using _swapping = await swapping(join(race, 'folder'), join(other, 'sub'));
    const write = (name: string, mode: WriteMode): Promise<number> =>
      writeConfined([root], `race/folder/${name}`, 'new', mode).then(
        () => 1,
        () => 0,
      );
    let written = 0;
    for (let round = 0; round < swapRounds || written === 0; round++) {
      written += await write(`new-${round}.txt`, 'create');
      written += await write('note.txt', round % 2 === 0 ? 'overwrite' : 'append');
    }
    const outside = [await readdir(join(other, 'sub')), await readFile(join(other, 'sub', 'note.txt'), 'utf8')];
    expect(outside).toEqual([['note.txt'], secret]);
  });
});

test.runIf(process.platform === 'linux')('keeps an anchored folder when its path is replaced', async () => {
  const path = join(root, 'pinned');
  await mkdir(path);
  await writeFile(join(path, 'mine.txt'), '');
  await using pinned = await anchorFolder(path);
  await rename(path, `${path}-moved`);
  await symlink(other, path);
  expect(await readdir(pinned.at)).toEqual(['mine.txt']);
});
