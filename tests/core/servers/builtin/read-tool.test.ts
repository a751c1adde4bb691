/** Reads text, line ranges, damaged text and binaries through a real client. */
import { mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectUtils } from './connect-utils.ts';
import type { Utils } from './connect-utils.ts';

let root: string;
let utils: Utils;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'read-')));
  utils = await connectUtils({ folders: [root] });
});

afterAll(async () => {
  await utils[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** Writes a file and reads it with the tool. */
async function read(content: string | Uint8Array, range: Record<string, unknown> = {}): Promise<string> {
  await writeFile(join(root, 'file'), content);
  return utils.text('read_file', { path: 'file', ...range });
}

test('returns text unchanged, with nothing added', async () => {
  const text = '\tgrüße 👋\r\n\nlast line without end';
  expect(await read(text)).toBe(text);
});

test.each([
  [{ fromLine: 2, toLine: 3 }, 'two\nthree\n'],
  [{ fromLine: 4 }, 'four'],
  [{ toLine: 1 }, 'one\n'],
  [{ fromLine: 3, toLine: 99 }, 'three\nfour'],
  [{ fromLine: 5 }, 'ERROR "file" has only 4 lines.'],
  [{ fromLine: 3, toLine: 2 }, 'ERROR toLine is before fromLine.'],
])('reads the range %j of four lines', async (range, text) => {
  expect(await read('one\ntwo\nthree\nfour', range)).toBe(text);
});

test('does not count an empty line after the final newline', async () => {
  expect(await read('one\ntwo\n', { fromLine: 3 })).toBe('ERROR "file" has only 2 lines.');
});

test('stops at a whole line within maxBytes and reports where to continue', async () => {
  expect(await read('äää\nbbb\nccc\n', { maxBytes: 12 })).toBe(
    'äää\nbbb\n\n[Stopped before line 3 (file: 15 bytes); continue with fromLine.]',
  );
});

test('returns a file of exactly maxBytes whole', async () => {
  expect(await read('aaa\nbbb\n', { maxBytes: 8 })).toBe('aaa\nbbb\n');
});

test('cuts a line longer than maxBytes between characters and can read the next line', async () => {
  expect([
    await read('ääääää\nnext\n', { maxBytes: 5 }),
    await read('ääääää\nnext\n', { fromLine: 2, maxBytes: 5 }),
  ]).toEqual([
    'ää\n[Line 1 is truncated: it is longer than maxBytes. Stopped before line 2 (file: 18 bytes); continue with fromLine.]',
    'next\n',
  ]);
});

test('reads a file longer than one chunk unchanged, including characters split between chunks', async () => {
  const text = 'x' + 'ä👋\n'.repeat(120_000);
  expect((await read(text)) === text).toBe(true);
});

test('returns the first MiB of a large file by default, in whole lines', async () => {
  const line = 'x'.repeat(1023) + '\n';
  const text = await read(line.repeat(1500));
  expect(text.replace(line.repeat(1024), '')).toBe(
    '\n[Stopped before line 1025 (file: 1536000 bytes); continue with fromLine.]',
  );
});

test('rejects a huge sparse file as binary without reading it whole', async () => {
  await writeFile(join(root, 'huge'), 'text\n');
  await truncate(join(root, 'huge'), 20 * 1024 ** 3);
  expect(await utils.text('read_file', { path: 'huge' })).toMatch(/^ERROR .* is binary .* 21474836480 bytes/);
});

test('reports that a file is empty', async () => {
  expect(await read('')).toBe('\n[The file is empty.]');
});

test('replaces bytes that are not UTF-8 and reports it', async () => {
  expect(await read(Buffer.from('caf\xe9\n', 'latin1'))).toBe(
    'caf\uFFFD\n\n[Not valid utf-8: unreadable bytes are shown as \uFFFD; writing this back would lose them.]',
  );
});

test('does not report a replacement character that is in the file', async () => {
  expect(await read('a\uFFFDb')).toBe('a\uFFFDb');
});

test('converts UTF-16 and reports it, and drops a UTF-8 byte order mark', async () => {
  expect([
    await read(Buffer.from('\uFEFFgrüße\n', 'utf16le')),
    await read(Buffer.from('\uFEFFgrüße\n', 'utf16le').swap16()),
    await read('\uFEFFgrüße\n'),
  ]).toEqual(['grüße\n\n[Converted from utf-16le.]', 'grüße\n\n[Converted from utf-16be.]', 'grüße\n']);
});

test.each([
  ['image', 'image/png', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1')],
  ['image', 'image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0])],
  ['image', 'image/gif', Buffer.from('GIF89a\0\0', 'latin1')],
  ['image', 'image/webp', Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')],
  ['audio', 'audio/wav', Buffer.from('RIFF\0\0\0\0WAVE', 'latin1')],
])('returns %s content for %s', async (type, mimeType, bytes) => {
  await writeFile(join(root, 'media'), bytes);
  const { content } = await utils.call('read_file', { path: 'media' });
  expect(content).toEqual([{ type, mimeType, data: bytes.toString('base64') }]);
});

test('returns another binary file as a resource', async () => {
  const bytes = Buffer.from([1, 2, 0, 255]);
  await writeFile(join(root, 'some data'), bytes);
  const { content } = await utils.call('read_file', { path: 'some data' });
  const uri = pathToFileURL(join(root, 'some data')).href;
  const resource = { uri, mimeType: 'application/octet-stream', blob: bytes.toString('base64') };
  expect(content).toEqual([{ type: 'resource', resource }]);
});

test('rejects a binary file larger than maxBytes instead of cutting it', async () => {
  expect(await read(new Uint8Array(100), { maxBytes: 99 })).toBe(
    `ERROR ${join(root, 'file')} is binary (application/octet-stream) and has 100 bytes, more than maxBytes 99. Raise maxBytes to at most 16777216.`,
  );
});

test('treats text that begins like a binary format as text', async () => {
  expect(await read('GIF89a is a format\n')).toBe('GIF89a is a format\n');
});

test.each([
  ['../x', /outside the allowed folders.*servers\.utils\.folders/],
  ['/etc/passwd', /outside the allowed folders/],
  ['link', /outside the allowed folders/],
  ['x\0', /NUL character/],
  ['absent', /"absent" does not exist\./],
  ['.', /"\." is not a file\./],
])('rejects %j', async (path, reason) => {
  await symlink('/etc/passwd', join(root, 'link')).catch(() => undefined);
  expect(await utils.text('read_file', { path })).toMatch(reason);
});
