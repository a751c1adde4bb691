/** The documents: generated pages are up to date, and the prose checks find planted faults. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  anchorsOf,
  brokenCode,
  checkDocuments,
  linkProblems,
  longLines,
  wordProblems,
} from '../../scripts/docs/check-documents.ts';
import { checkSources, sourceProblems } from '../../scripts/docs/check-sources.ts';
import { keysOf } from '../../scripts/docs/config-reference.ts';
import { generatedPages } from '../../scripts/docs/generated-pages.ts';

const root = join(import.meta.dirname, '../..');

test('the generated pages of docs/reference are current (npm run docs writes them)', async () => {
  for (const [path, text] of await generatedPages()) expect(readFileSync(join(root, path), 'utf8')).toBe(text);
});

test('the documents have no long lines, banned words, or broken links', () => {
  expect(checkDocuments(root)).toEqual([]);
});

test('the sources have no banned words', () => {
  expect(checkSources(root)).toEqual([]);
});

describe('the checks of prose', () => {
  const page = (text: string) => ({ path: 'docs/a.md', text });

  test('report a line above 120 characters, but no table, code, or reference', () => {
    const long = 'word '.repeat(30);
    expect(longLines(page(`short\n${long}`))).toEqual(['docs/a.md:2: 150 characters, at most 120']);
    expect(longLines(page(`| ${long} |\n\n\`\`\`sh\n${long}\n\`\`\`\n\n[a]: ${long}`))).toEqual([]);
  });

  test('report code that is broken between two lines', () => {
    expect(brokenCode(page('Run `a` and `b\nc`.'))).toHaveLength(2);
    expect(brokenCode(page('Run `a` and `b c`.\n\n```\n`\n```'))).toEqual([]);
  });

  test('report a banned word outside of code', () => {
    expect(wordProblems(page('The user is told so.'))).toEqual([expect.stringContaining('docs/a.md:1: "told"')]);
    expect(wordProblems(page('Run `told`.\n\n```\nwhoever\n```\n\nSee [it](desk.md).'))).toEqual([]);
  });

  test('report a banned word in a name, a comment, or a text of a source', () => {
    const text = "// A note.\nconst desk = 'ok';\nlog('Sent to whoever asks.');";
    expect(sourceProblems({ path: 'src-main/a.ts', text })).toEqual([
      expect.stringContaining('src-main/a.ts:2: "desk" (use: service'),
      expect.stringContaining('src-main/a.ts:3: "whoever"'),
    ]);
    expect(sourceProblems({ path: 'src-main/a.ts', text: "const desktop = 'fine';" })).toEqual([]);
  });

  test('report a link to a file or heading that does not exist', () => {
    const anchors = new Map([['docs/b.md', anchorsOf('# A page\n\n## Two words, `code`\n\n## Two words, `code`')]]);
    const problems = (text: string): string[] => linkProblems(page(text), anchors, (path) => path === 'docs/b.md');
    expect(problems('[a](b.md) [b](b.md#two-words-code) [c](b.md#two-words-code-1) [d](https://x.org/y)')).toEqual([]);
    expect(problems('[a](c.md)')).toEqual(['docs/a.md: link to c.md: no such file']);
    expect(problems('[a](b.md#three)')).toEqual(['docs/a.md: link to b.md#three: no such heading']);
    expect(problems('[a][x]\n\n[x]: ../c.md')).toEqual(['docs/a.md: link to ../c.md: no such file']);
  });
});

test('a nested key of the schema is listed with its path, type, and default', () => {
  const limit = { type: 'integer', minimum: 1, maximum: 9 };
  const schema = { properties: { a: { type: 'object', properties: { b: limit, c: { enum: ['x', 'y'] } } } } };
  expect(keysOf(schema, { a: { b: 3 } })).toEqual([
    { path: 'a', type: 'object', default: '' },
    { path: 'a.b', type: 'integer from 1 to 9', default: '`3`' },
    { path: 'a.c', type: '`"x"`, `"y"`', default: '' },
  ]);
});
