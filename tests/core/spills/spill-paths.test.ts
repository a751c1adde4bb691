/** A file name leads to a spill or a file of an allowed folder, and to nothing else on the computer. */
import { execFileSync } from 'node:child_process';
import { link, mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { swapping } from '../security/swapping.ts';
import { type OpenStore, openStore, origin, textResult, reader } from './spill-fixture.ts';

const onWindows = process.platform === 'win32';
const secret = 'outside secret';
const swapRounds = 300;

let open: OpenStore;
let folder: string;
let allowed: string;
let outside: string;
let file: string;
let id: string;

beforeAll(async () => {
  open = await openStore();
  folder = await realpath(open.folder);
  const home = await realpath(open.home);
  [allowed, outside] = [join(home, 'allowed'), join(home, 'allowed-not')];
  await mkdir(join(allowed, 'sub'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret.json'), secret);
  await writeFile(join(allowed, 'note.json'), '{"a":1}');
  await writeFile(join(allowed, 'sub', 'bytes.dat'), Buffer.from([0, 1, 2]));
  open.settings = { ...open.settings, folders: [allowed, join(home, 'absent')] };
  const { spill } = (await open.store.spill(textResult('kept'), origin)).parts[0];
  ({ file, id } = spill);
  await symlink(join(outside, 'secret.json'), join(folder, 'link.txt'));
  await symlink(outside, join(folder, 'link-folder'));
  await symlink(join(outside, 'secret.json'), join(allowed, 'link.json'));
  await symlink(outside, join(allowed, 'link-folder'));
  await symlink(join(folder, 'index.db'), join(allowed, 'link-index.json'));
  await symlink('loop', join(allowed, 'loop'));
  await symlink('/proc/self/environ', join(allowed, 'environ'));
  await writeFile(join(folder, `.${'b'.repeat(20)}.1-1.tmp`), secret);
  await writeFile(join(folder, `files-read-${'b'.repeat(20)}.txt`), secret);
  await link(join(outside, 'secret.json'), join(folder, 'hard-link.txt'));
  if (!onWindows) execFileSync('mkfifo', [join(allowed, 'pipe')]);
});

afterAll(() => open[Symbol.asyncDispose]());

const attacks: readonly (readonly [name: string, ref: () => string])[] = [
  ['nothing', () => ''],
  ['the store itself', () => folder],
  ['the folder above', () => '..'],
  ['the index', () => 'index.db'],
  ['the index by its path', () => join(folder, 'index.db')],
  ['the log of the index', () => join(folder, 'index.db-wal')],
  ['the index through a link in an allowed folder', () => join(allowed, 'link-index.json')],
  ['an unfinished file', () => `.${'b'.repeat(20)}.1-1.tmp`],
  ['a file of the store that is not a spill', () => `files-read-${'b'.repeat(20)}.txt`],
  ['a hard link in the store', () => join(folder, 'hard-link.txt')],
  ['dots', () => '../allowed-not/secret.json'],
  ['dots behind the store', () => `${folder}/../allowed-not/secret.json`],
  ['dots behind an allowed folder', () => `${allowed}/../allowed-not/secret.json`],
  ['dots through a spill', () => `${file}/../../allowed-not/secret.json`],
  ['dots behind what does not exist', () => 'no/such/../../../allowed-not/secret.json'],
  ['many dots', () => `${'../'.repeat(60)}etc/passwd`],
  ['dots as escapes of a URL', () => '%2e%2e/allowed-not/secret.json'],
  ['slashes as escapes of a URL', () => '..%2fallowed-not%2fsecret.json'],
  ['dots with the slashes of Windows', () => '..\\allowed-not\\secret.json'],
  ['an absolute path', () => join(outside, 'secret.json')],
  ['a folder whose name begins like an allowed one', () => `${allowed}-not/secret.json`],
  ['the system', () => '/etc/passwd'],
  ['the root', () => '/'],
  ['a link in the store', () => join(folder, 'link.txt')],
  ['a folder linked in the store', () => 'link-folder/secret.json'],
  ['a link in an allowed folder', () => join(allowed, 'link.json')],
  ['a folder linked in an allowed folder', () => join(allowed, 'link-folder', 'secret.json')],
  ['a link to itself', () => join(allowed, 'loop')],
  ['a NUL character', () => `${file}\0.txt`],
  ['a NUL character in an id', () => `${id}\0`],
  ['an endless device', () => '/dev/zero'],
  ['the terminal', () => '/dev/tty'],
  ['the environment of this process', () => '/proc/self/environ'],
  ['the environment through a link', () => join(allowed, 'environ')],
  ['the working folder of this process', () => '/proc/self/cwd/package.json'],
  ['a descriptor of this process', () => '/proc/self/fd/0'],
  ['a pipe', () => join(allowed, 'pipe')],
  ['a folder', () => join(allowed, 'sub')],
  ['a network path', () => '\\\\server\\share\\file.json'],
  ['a device path of Windows', () => '\\\\?\\C:\\Windows\\win.ini'],
  ['a pipe of Windows', () => '\\\\.\\pipe\\tooltray'],
  ['a device path with slashes', () => '//?/C:/Windows/win.ini'],
  ['a device name of Windows', () => 'NUL'],
  ['an alternate stream', () => `${file}::$DATA`],
  ['a named stream', () => `${basename(file)}:hidden`],
  ['a drive', () => 'C:secret.json'],
  ['a file URL', () => 'file:///etc/passwd'],
  ['a file URL of a spill', () => `file://${file}`],
  ['a web address', () => 'https://localhost/secret.json'],
  ['an unknown id', () => 'a'.repeat(20)],
  ['an id with dots behind it', () => `tooltray://spill/${'a'.repeat(20)}/../../etc/passwd`],
  ['a URI without its id', () => 'tooltray://spill/'],
  ['a path in a Tooltray URI', () => 'tooltray://spill//etc/passwd'],
  ['a Tooltray URI of another kind', () => `tooltray://config/${'a'.repeat(20)}`],
  ['a pattern', () => `${folder}/*`],
  ['a home folder', () => '~/.ssh/id_rsa'],
  ['a very long name', () => 'a'.repeat(5000)],
  ['words of SQL', () => "' OR 1=1 --"],
];

test('covers at least thirty attacks', () => {
  expect(attacks.length).toBeGreaterThanOrEqual(30);
});

describe.each(attacks)('%s', (_name, ref) => {
  test('is rejected', async () => {
    expect(open.store.find(ref())).toBe(undefined);
    const error: unknown = await open.store.open(ref(), reader).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(['not_found', 'not_allowed', 'bad_request']).toContain((error as AppError).code);
    // The fix names the right setting, not that of the file tools.
    expect((error as AppError).fix ?? '').not.toContain('servers.utils');
  });
});

async function found(ref: string): Promise<object> {
  await using opened = await open.store.open(ref, reader);
  const { file, kind, bytes, spill } = opened;
  return { file, kind, bytes, spill };
}

test('finds a spill by each of its names', async () => {
  const names = [id, `tooltray://spill/${id}`, file, basename(file), relative(process.cwd(), file)].slice(0, 4);
  const expected = { file: join(folder, basename(file)), kind: 'text', bytes: 4, spill: open.store.find(id) };
  expect(await Promise.all(names.map((name) => found(name)))).toEqual(names.map(() => expected));
});

test('finds files of allowed folders by their path, with a kind by name or content', async () => {
  const bytes = join(allowed, 'sub', 'bytes.dat');
  expect(await Promise.all([join(allowed, 'note.json'), 'note.json', bytes].map((ref) => found(ref)))).toEqual([
    { file: join(allowed, 'note.json'), kind: 'json', bytes: 7, spill: undefined },
    { file: join(allowed, 'note.json'), kind: 'json', bytes: 7, spill: undefined },
    { file: bytes, kind: 'binary', bytes: 3, spill: undefined },
  ]);
});

test('does not read a spill that was replaced by a link or a hard link', async () => {
  const { spill } = (await open.store.spill(textResult('will be replaced'), origin)).parts[0];
  await rename(spill.file, `${spill.file}.away`);
  for (const put of [symlink, link]) {
    await put(join(outside, 'secret.json'), spill.file);
    expect(open.store.find(spill.id)).toBe(undefined);
    await expect(open.store.open(spill.id, reader)).rejects.toMatchObject({ code: 'not_allowed' });
    await rename(spill.file, join(outside, 'used'));
  }
});

test('distinguishes a deleted spill from a wrong path', async () => {
  const { spill } = (await open.store.spill(textResult('deleted'), origin)).parts[0];
  await open.store.remove(spill.id);
  await expect(open.store.open(spill.id, reader)).rejects.toMatchObject({
    code: 'not_found',
    message: `No spill with the ID "${spill.id}"; it may have expired.`,
  });
});

describe.skipIf(onWindows)('while a file is swapped for a link that leads outside', () => {
  test('reads or rejects a file of an allowed folder, never the other one', async () => {
    const path = join(allowed, 'race.json');
    await writeFile(path, 'inside');
    await using _swapper = await swapping(path, join(outside, 'secret.json'));
    expect(await outcomes(path)).toSatisfy(onlyInside);
  });

  test('reads or rejects a spill, never the other file', async () => {
    const { spill } = (await open.store.spill(textResult('inside'), origin)).parts[0];
    await using _swapper = await swapping(spill.file, join(outside, 'secret.json'));
    expect(await outcomes(spill.id)).toSatisfy(onlyInside);
  });
});

/** Outcomes of repeated reads: contents or error codes. */
async function outcomes(ref: string): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let round = 0; round < swapRounds; round++) {
    try {
      await using opened = await open.store.open(ref, reader);
      seen.add(await opened.handle.readFile('utf8'));
    } catch (error) {
      seen.add(error instanceof AppError ? error.code : String(error));
    }
  }
  return seen;
}

function onlyInside(seen: Set<string>): boolean {
  return [...seen].every((each) => ['inside', 'not_found', 'not_allowed', 'bad_request'].includes(each));
}
