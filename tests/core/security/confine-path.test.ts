/** Paths that try to leave the allowed folders, on a real file system, by name and by link. */
import { execFileSync } from 'node:child_process';
import { link, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppError } from '../../../src-main/core/base/errors.ts';
import { confinePath } from '../../../src-main/core/security/confine-path.ts';
import { isInside } from '../../../src-main/core/security/file-paths.ts';
import { openConfined } from '../../../src-main/core/security/open-confined.ts';
import { writeConfined } from '../../../src-main/core/security/write-confined.ts';
import { makeFolders, refusal, secret } from './confined-folders.ts';

const onWindows = process.platform === 'win32';

let base: string;
let root: string;
let other: string;

beforeAll(async () => {
  ({ base, root, other } = await makeFolders());
  await symlink(join(other, 'secret.txt'), join(root, 'link-file'));
  await symlink('../allowed-not/secret.txt', join(root, 'link-relative'));
  await symlink(other, join(root, 'link-folder'));
  await symlink(join(root, 'link-folder'), join(root, 'sub', 'link-to-link'));
  await symlink(join(other, 'absent.txt'), join(root, 'link-dangling'));
  await symlink(join(other, 'absent'), join(root, 'link-dangling-folder'));
  await symlink('loop', join(root, 'loop'));
  await symlink('..', join(root, 'link-up'));
  await symlink('/', join(root, 'link-root'));
  await symlink(join(root, 'note.txt'), join(root, 'link-inside'));
  if (!onWindows) execFileSync('mkfifo', [join(root, 'pipe')]);
});

afterAll(() => rm(base, { recursive: true, force: true }));

const attacks: readonly (readonly [name: string, path: () => string])[] = [
  ['the parent folder', () => '..'],
  ['a file beside the folder', () => '../allowed-not/secret.txt'],
  ['dots after a real folder', () => 'sub/../../allowed-not/secret.txt'],
  ['dots after a folder that does not exist', () => 'no/such/../../../allowed-not/secret.txt'],
  ['many dots', () => `${'../'.repeat(60)}etc/passwd`],
  ['an absolute path elsewhere', () => join(other, 'secret.txt')],
  ['the system', () => '/etc/passwd'],
  ['the root of the disk', () => '/'],
  ['a folder whose name begins like the allowed one', () => `${root}-not/secret.txt`],
  ['an absolute path with dots', () => `${root}/../allowed-not/secret.txt`],
  ['doubled slashes', () => `${root}//..//allowed-not//secret.txt`],
  ['a file that does not exist elsewhere', () => join(other, 'absent.txt')],
  ['a link to a file', () => 'link-file'],
  ['a relative link to a file', () => 'link-relative'],
  ['a link to a folder', () => 'link-folder'],
  ['a file through a link to a folder', () => 'link-folder/secret.txt'],
  ['a file through a link to a link', () => 'sub/link-to-link/secret.txt'],
  ['a missing file through a link to a folder', () => 'link-folder/new.txt'],
  ['missing folders through a link to a folder', () => 'link-folder/a/b/new.txt'],
  ['a link to nothing', () => 'link-dangling'],
  ['a file through a link to nothing', () => 'link-dangling-folder/new.txt'],
  ['a link to itself', () => 'loop'],
  ['a file through a link to itself', () => 'loop/note.txt'],
  ['a link upwards', () => 'link-up/allowed-not/secret.txt'],
  ['a link to the root of the disk', () => 'link-root/etc/passwd'],
  ['a NUL character', () => 'note.txt\0.png'],
  ['a NUL character after dots', () => '../allowed-not/secret.txt\0'],
  ['a Windows network path', () => '\\\\server\\share\\file'],
  ['a Windows device path', () => '\\\\?\\C:\\Windows\\win.ini'],
  ['a Windows pipe', () => '\\\\.\\pipe\\tooltray'],
  ['a device path with slashes', () => '//?/C:/Windows/win.ini'],
  ['a device of the system', () => '/dev/zero'],
  ['the environment of this process', () => '/proc/self/environ'],
];

describe.each(attacks)('%s', (_name, path) => {
  test('is rejected for reading and for writing', async () => {
    const codes = [
      await refusal(confinePath([root], path())),
      await refusal(confinePath([root], path(), { mustExist: false })),
      await refusal(openConfined([root], path())),
      await refusal(writeConfined([root], path(), 'x', 'overwrite')),
      await refusal(writeConfined([root], path(), 'x', 'append')),
    ];
    expect(codes).toEqual(Array<string>(5).fill('not_allowed'));
  });
});

test('changes and creates nothing outside during the attacks', async () => {
  const files = await readdir(other, { recursive: true });
  expect([files.sort(), await readFile(join(other, 'secret.txt'), 'utf8')]).toEqual([
    ['secret.txt', 'sub', join('sub', 'note.txt')],
    secret,
  ]);
});

const windowsNames: readonly string[] = [
  ...['note.txt:stream', 'note.txt::$DATA', 'sub:$I30:$INDEX_ALLOCATION', 'C:note.txt', 'C:', 'nul', 'CON', 'aux.txt'],
  ...[
    'sub\\COM1',
    'sub/lpt9.log',
    'com¹',
    'CONIN$',
    'prn .txt',
    'note.txt.',
    'note.txt ',
    'sub./note.txt',
    '//server/x',
  ],
];

test.each(windowsNames)('rejects the name %j on Windows', async (name) => {
  const check = confinePath([root], name, { mustExist: false, platform: 'win32' });
  expect(await refusal(check)).toBe('not_allowed');
});

test('accepts ordinary names on Windows, also those that resemble device names', async () => {
  const names = ['console.log', 'nullable.ts', 'com10', '..\\allowed.txt', 'a.b.c', './sub/../note.txt'];
  const codes = names.map((name) => refusal(confinePath([root], name, { mustExist: false, platform: 'win32' })));
  expect(new Set(await Promise.all(codes))).toEqual(new Set(['was let through']));
});

test.skipIf(onWindows)('rejects a named pipe, a socket and a device without opening them', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(join(root, 'socket'), done));
  const codes = [
    await refusal(openConfined([root], 'pipe')),
    await refusal(openConfined([root], 'socket')),
    await refusal(openConfined(['/dev'], 'null')),
  ];
  await new Promise((done) => server.close(done));
  expect(codes).toEqual(['not_allowed', 'not_allowed', 'not_allowed']);
});

test('names the allowed folders and how to allow one when it rejects a path', async () => {
  const error = await confinePath([root, other], '/etc/passwd').catch((thrown: unknown) => thrown);
  expect((error as AppError).text).toMatch(
    new RegExp(`"/etc/passwd" is outside .*: ${root}, ${other}\\. .*servers\\.utils\\.folders`),
  );
});

test('does not reveal whether something exists outside', async () => {
  const texts = ['link-folder/secret.txt', 'link-folder/absent.txt'].map((path) =>
    confinePath([root], path).catch((error: AppError) => error.text.replace(path, '')),
  );
  expect(new Set(await Promise.all(texts)).size).toBe(1);
});

test('names how to allow a folder if none is allowed', async () => {
  const error = await confinePath([], 'note.txt').catch((thrown: unknown) => thrown);
  expect((error as AppError).text).toMatch(/^No folders are allowed\. .*servers\.utils\.folders/);
});

test('ignores allowed folders that do not exist, and rejects paths if none is left', async () => {
  const absent = join(base, 'absent');
  const found = await confinePath([absent, root], 'note.txt');
  expect([found.real, await refusal(confinePath([absent], 'note.txt'))]).toEqual([
    join(root, 'note.txt'),
    'not_allowed',
  ]);
});

test('resolves relative, absolute, dotted and linked paths inside to their real path', async () => {
  const paths = [
    'note.txt',
    join(root, 'note.txt'),
    'sub/../note.txt',
    'link-inside',
    './/note.txt',
    `${root}/sub/..//note.txt`,
  ];
  const found = await Promise.all(paths.map((path) => confinePath([root], path)));
  expect(new Set(found.map(({ real, root: within, kind }) => `${relative(within, real)} ${kind}`))).toEqual(
    new Set(['note.txt file']),
  );
});

test('resolves an allowed folder given through a link', async () => {
  const alias = join(base, 'alias');
  await symlink(root, alias);
  const found = await Promise.all([confinePath([alias], 'note.txt'), confinePath([alias], join(alias, 'note.txt'))]);
  expect(found.map(({ real }) => real)).toEqual([join(root, 'note.txt'), join(root, 'note.txt')]);
});

test('looks a relative path up in each allowed folder, and creates a new one in the first', async () => {
  const found = [
    await confinePath([root, other], 'secret.txt'),
    await confinePath([root, other], 'new', { mustExist: false }),
  ];
  expect(found.map(({ real, kind }) => [real, kind])).toEqual([
    [join(other, 'secret.txt'), 'file'],
    [join(root, 'new'), 'missing'],
  ]);
});

test('accepts the root of the disk as an allowed folder', () => {
  expect([isInside('/', '/etc'), isInside('/a', '/ab'), isInside('/a', '/a/..b'), isInside('/a', '/')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('reports not_found for a missing file inside, and for a path through a file', async () => {
  expect([await refusal(confinePath([root], 'absent')), await refusal(confinePath([root], 'note.txt/x'))]).toEqual([
    'not_found',
    'not_found',
  ]);
});

test('accepts a hard link to a file outside, since it cannot be distinguished', async () => {
  await link(join(other, 'secret.txt'), join(root, 'hard'));
  expect((await confinePath([root], 'hard')).kind).toBe('file');
  await rm(join(root, 'hard'));
});
