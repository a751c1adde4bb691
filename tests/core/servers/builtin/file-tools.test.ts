/** Lists, searches and writes files in the allowed folders through a real client. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectUtils } from './connect-utils.ts';
import type { Utils } from './connect-utils.ts';

let base: string;
let root: string;
let utils: Utils;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'utils-')));
  root = join(base, 'notes');
  await mkdir(join(root, 'sub', 'deep'), { recursive: true });
  await writeFile(join(base, 'secret.txt'), 'outside secret');
  await writeFile(join(root, 'a.md'), 'Alpha\nbeta needle\n');
  await writeFile(join(root, 'sub', 'b.md'), 'one\nNEEDLE two\nthree needle\n');
  await writeFile(join(root, 'sub', 'deep', 'c.txt'), 'nothing');
  await symlink(base, join(root, 'out'));
  utils = await connectUtils({ folders: [root] });
});

afterEach(async () => {
  await utils[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
});

describe('list_files', () => {
  test('lists a folder with file sizes and does not follow links', async () => {
    expect(await utils.text('list_files', {})).toBe(`${root}:\na.md 18\nout@\nsub/`);
  });

  test('lists as deep as requested, shallow entries first', async () => {
    expect(await utils.text('list_files', { depth: 9 })).toBe(
      `${root}:\na.md 18\nout@\nsub/\nsub/b.md 28\nsub/deep/\nsub/deep/c.txt 7`,
    );
  });

  test('matches a pattern against names, or against paths if it contains a slash', async () => {
    const found = [
      await utils.text('list_files', { depth: 9, pattern: '*.MD' }),
      await utils.text('list_files', { path: root, depth: 9, pattern: 'sub/*.?xt' }),
      await utils.text('list_files', { path: 'sub', pattern: 'zzz' }),
    ];
    expect(found).toEqual([
      `${root}:\na.md 18\nsub/b.md 28`,
      `${root}:\nsub/deep/c.txt 7`,
      `${join(root, 'sub')}:\n[nothing]`,
    ]);
  });

  test('lists every allowed folder when no path is given', async () => {
    await using two = await connectUtils({ folders: [join(root, 'sub', 'deep'), join(root, 'absent'), root] });
    expect(await two.text('list_files', {})).toBe(
      `${join(root, 'sub', 'deep')}:\nc.txt 7\n${root}:\na.md 18\nout@\nsub/`,
    );
  });

  test('stops after 1,000 entries and reports the limit', async () => {
    await mkdir(join(root, 'many'));
    await Promise.all(Array.from({ length: 1005 }, (_, index) => writeFile(join(root, 'many', `f${index}`), '')));
    const lines = (await utils.text('list_files', { path: 'many' })).split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([1002, '[first 1000; narrow path or pattern]']);
  });

  test('matches a pathological pattern without delay', async () => {
    await writeFile(join(root, 'a'.repeat(250)), '');
    const pattern = `${'a*'.repeat(200)}b`;
    expect(await utils.text('list_files', { pattern })).toBe(`${root}:\n[nothing]`);
  });

  test('escapes line breaks and hidden characters in file names', async () => {
    await writeFile(join(root, 'sub', 'deep', 'x\nsecret.txt 5\u202e'), '');
    expect(await utils.text('list_files', { path: 'sub/deep' })).toContain('x\\u{a}secret.txt 5\\u{202e} 0');
  });

  test.each(['..', '/', 'out', 'sub/../..', '../secret.txt'])(
    'rejects %s, which is outside the allowed folders',
    async (path) => {
      expect(await utils.text('list_files', { path })).toMatch(
        /^ERROR .* outside the allowed folders.*servers\.utils\.folders/,
      );
    },
  );

  test('reports a file given as a folder and a folder that does not exist', async () => {
    expect([await utils.text('list_files', { path: 'a.md' }), await utils.text('list_files', { path: 'no' })]).toEqual([
      'ERROR "a.md" is a file. Use read_file.',
      'ERROR "no" does not exist.',
    ]);
  });
});

describe('search_files', () => {
  test('finds text case-insensitively, with line numbers', async () => {
    expect(await utils.text('search_files', { query: 'needle' })).toBe(
      `${root}:\na.md\n2: beta needle\nsub/b.md\n2: NEEDLE two\n3: three needle\n[3 matches, 3 files read]`,
    );
  });

  test('finds file and folder names', async () => {
    expect(await utils.text('search_files', { query: 'DEEP' })).toBe(
      `${root}:\nsub/deep [name]\n[1 match, 3 files read]`,
    );
  });

  test('searches by regular expression, including escapes that strict mode rejects', async () => {
    expect([
      await utils.text('search_files', { query: '^(Alpha|t\\w+e) ?', regex: true }),
      await utils.text('search_files', { query: 'two\\-?', regex: true, path: 'sub/b.md' }),
    ]).toEqual([
      `${root}:\na.md\n1: Alpha\nsub/b.md\n3: three needle\n[2 matches, 3 files read]`,
      `${join(root, 'sub', 'b.md')}:\n2: NEEDLE two\n[1 match, 1 file read]`,
    ]);
  });

  test('stops at maxMatches and reports it', async () => {
    expect(await utils.text('search_files', { query: 'needle', maxMatches: 2 })).toBe(
      `${root}:\na.md\n2: beta needle\nsub/b.md\n2: NEEDLE two\n[2 matches, 2 files read; stopped at maxMatches]`,
    );
  });

  test('does not follow links', async () => {
    expect(await utils.text('search_files', { query: 'outside secret' })).toBe('[0 matches, 3 files read]');
  });

  test('skips binaries, large files and .git, and reports the large files and .git', async () => {
    await mkdir(join(root, '.git'));
    await writeFile(join(root, '.git', 'x'), 'rarity');
    await writeFile(join(root, 'binary'), 'rarity\0');
    await writeFile(join(root, 'big'), `rarity${' '.repeat(4 * 1024 * 1024)}`);
    expect(await utils.text('search_files', { query: 'rarity' })).toBe(
      '[0 matches, 5 files read; skipped: .git; 1 file over 4 MiB skipped]',
    );
  });

  test('shows the part of a long line around the match', async () => {
    await writeFile(join(root, 'long'), `${'x'.repeat(500)}here${'y'.repeat(500)}`);
    const found = await utils.text('search_files', { query: 'xhere', path: 'long' });
    expect(found.split('\n')[1]).toBe(`1: …${'x'.repeat(51)}here${'y'.repeat(145)}…`);
  });

  test('aborts a regular expression that takes too long', async () => {
    await writeFile(join(root, 'evil'), `${'a'.repeat(60)}b`);
    expect(await utils.text('search_files', { query: '(a+)+$', regex: true, path: 'evil' })).toBe(
      'ERROR The expression takes too long. Make it simpler (no repeat within a repeat), or search for plain text.',
    );
  });

  test('rejects an invalid or too long regular expression', async () => {
    expect([
      await utils.text('search_files', { query: '(', regex: true }),
      await utils.text('search_files', { query: 'x'.repeat(501), regex: true }),
    ]).toEqual([
      expect.stringMatching(/^ERROR Invalid regular expression: .*Use JavaScript syntax/),
      expect.stringMatching(/^ERROR .*query/s),
    ]);
  });

  test.each(['..', '/etc', 'out', 'out/secret.txt'])(
    'rejects %s, which is outside the allowed folders',
    async (path) => {
      expect(await utils.text('search_files', { query: 'x', path })).toMatch(/^ERROR .* outside the allowed folders/);
    },
  );
});

describe('write_file', () => {
  test('creates a file and its folders', async () => {
    const answer = await utils.text('write_file', { path: 'new/er/file.txt', content: 'grüße' });
    const path = join(root, 'new', 'er', 'file.txt');
    expect([answer, await readFile(path, 'utf8')]).toEqual([`Created ${path} (7 bytes written).`, 'grüße']);
  });

  test('does not replace an existing file unless the mode allows it', async () => {
    const answer = await utils.text('write_file', { path: 'a.md', content: 'x' });
    expect([answer, await readFile(join(root, 'a.md'), 'utf8')]).toEqual([
      'ERROR "a.md" already exists. Use mode "overwrite" or "append", or another name.',
      'Alpha\nbeta needle\n',
    ]);
  });

  test('overwrites and appends', async () => {
    const answers = [
      await utils.text('write_file', { path: 'a.md', content: 'one', mode: 'overwrite' }),
      await utils.text('write_file', { path: join(root, 'a.md'), content: ' two', mode: 'append' }),
    ];
    expect([...answers, await readFile(join(root, 'a.md'), 'utf8')]).toEqual([
      `Replaced ${join(root, 'a.md')} (3 bytes written).`,
      `Appended to ${join(root, 'a.md')} (4 bytes written).`,
      'one two',
    ]);
  });

  test('writes through a link to a target inside the allowed folders', async () => {
    await symlink(join(root, 'a.md'), join(root, 'alias'));
    await utils.call('write_file', { path: 'alias', content: 'new', mode: 'overwrite' });
    expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('new');
  });

  test.each(['../new', '/etc/tooltray', 'out/new', 'out/secret.txt'])(
    'rejects %s, which is outside the allowed folders',
    async (path) => {
      expect([
        await utils.text('write_file', { path, content: 'x', mode: 'overwrite' }),
        await readFile(join(base, 'secret.txt'), 'utf8'),
      ]).toEqual([expect.stringMatching(/^ERROR .* outside the allowed folders/), 'outside secret']);
    },
  );

  test.each([
    ['sub', 'ERROR "sub" is a folder.'],
    ['a.md/x', expect.stringMatching(/^ERROR .* uses a file as a folder\.$/)],
    ['', 'ERROR The path is empty. Specify a file or folder.'],
    ['n'.repeat(300), expect.stringMatching(/^ERROR .* a name in it is too long\.$/)],
  ])('reports why %j cannot be written', async (path, message) => {
    expect(await utils.text('write_file', { path, content: 'x', mode: 'overwrite' })).toEqual(message);
  });

  test('applies the file naming rules of the given platform', async () => {
    await using windows = await connectUtils({ folders: [root], platform: 'win32' });
    expect(await windows.text('write_file', { path: 'nul.txt', content: '' })).toMatch(/^ERROR .*device name/);
  });
});
