import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DescriptionStore } from '../../../src-main/core/condense/description-store.ts';

const hash = 'a'.repeat(64);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-descriptions-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (of = hash): DescriptionStore =>
  new DescriptionStore(join(folder, 'texts'), (server) => (server === 's' ? of : undefined));
const written = (text: string, own: unknown = 'Own.'): ReadonlyMap<string, { text: string; own: unknown }> =>
  new Map([['x', { text, own }]]);

test('finds a saved text again, also in a new store, in a private file', async () => {
  const store = open();
  expect(store.find('s', 'x', 'Own.')).toBeUndefined();
  await store.save('s', written('Does x'), 'claude');
  const [file] = await readdir(join(folder, 'texts'));
  expect([store.find('s', 'x', 'Own.'), open().find('s', 'x', 'Own.'), open().forServer('s')?.by]).toEqual([
    'Does x',
    'Does x',
    'claude',
  ]);
  expect(file).toBe(`${hash}.json`);
  if (process.platform !== 'win32') expect((await stat(join(folder, 'texts', file ?? ''))).mode & 0o777).toBe(0o600);
});

test("hides a text once the server's description or the entry has changed", async () => {
  const store = open();
  await store.save('s', written('Does x'), 'claude');
  expect(store.find('s', 'x', 'Own, and more.')).toBeUndefined();
  expect(store.find('s', 'x', undefined)).toBeUndefined();
  expect(open('b'.repeat(64)).find('s', 'x', 'Own.')).toBeUndefined();
  expect(store.find('other', 'x', 'Own.')).toBeUndefined();
});

test('keeps the texts of other tools, and removes a text that is saved empty', async () => {
  const store = open();
  await store.save('s', new Map([...written('Does x'), ['__proto__', { text: 'Odd', own: undefined }]]), 'claude');
  await store.save('s', written(' \u200b\n'), 'claude');
  const texts = [...(open().forServer('s')?.texts ?? [])].map(([tool, { text }]) => [tool, text]);
  expect(texts).toEqual([['__proto__', 'Odd']]);
});

test('loses no text in concurrent saves, and notifies of each', async () => {
  const store = open();
  let heard = 0;
  store.changed.on(() => heard++);
  const names = Array.from({ length: 20 }, (_, i) => `t${i}`);
  await Promise.all(names.map((name) => store.save('s', new Map([[name, { text: name, own: '' }]]), 'claude')));
  expect([...(open().forServer('s')?.texts.keys() ?? [])]).toEqual(names);
  expect(heard).toBe(20);
});

test.each([
  ['one line', ' a\n\tb\r\n c ', 'a b c'],
  [
    'text without control, hidden or reordering characters',
    'a\u0000b\u001b[31m\u202ec\u200bd\u{e0041}\u{e0101}',
    'ab[31mcd',
  ],
  ['text without split characters', 'a\ud800b', 'a\ufffdb'],
  ['at most 200 characters', '🚀'.repeat(300), `${'🚀'.repeat(199)}…`],
])('saves a text as %s', async (_, text, shown) => {
  const store = open();
  await store.save('s', written(text), 'claude');
  expect(store.find('s', 'x', 'Own.')).toBe(shown);
});

test.each(['', '{', '[]', '{"version":2,"texts":{}}', '{"version":1,"texts":{"x":5,"y":{"text":1}}}'])(
  'ignores and replaces a file that contains %j',
  async (content) => {
    const store = open();
    await store.save('s', written('Does x'), 'claude');
    const file = join(folder, 'texts', `${hash}.json`);
    await writeFile(file, content);
    const next = open();
    expect(next.find('s', 'x', 'Own.')).toBeUndefined();
    await next.save('s', written('Does x again'), 'claude');
    expect(await readFile(file, 'utf8')).toContain('Does x again');
  },
);

test('restores an original for later stores too, and keeps the author of other texts', async () => {
  const store = open();
  await store.save('s', new Map([...written('Does x'), ['y', { text: 'Does y', own: 'Y.' }]]), 'claude');
  await store.restoreOriginal('s', ['x']);
  expect([store.find('s', 'x', 'Own.'), open().find('s', 'x', 'Own.'), open().find('s', 'y', 'Y.')]).toEqual([
    undefined,
    undefined,
    'Does y',
  ]);
  expect(open().forServer('s')?.by).toBe('claude');
});

test('ignores a restored text of another product until a text is saved here', async () => {
  const inheriting = (): DescriptionStore =>
    new DescriptionStore(join(folder, 'texts'), () => hash, { find: () => 'From ToolMux', writtenAt: 5 });
  expect(inheriting().find('s', 'x', 'Own.')).toBe('From ToolMux');
  await inheriting().restoreOriginal('s', ['x']);
  expect([inheriting().find('s', 'x', 'Own.'), inheriting().find('s', 'x', undefined)]).toEqual([undefined, undefined]);
  expect(inheriting().find('s', 'y', 'Own.')).toBe('From ToolMux');
  await inheriting().save('s', written('Does x'), 'claude');
  expect(inheriting().find('s', 'x', 'Own.')).toBe('Does x');
});
