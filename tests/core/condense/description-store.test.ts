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

test('what was written is found again, also by the next core, in a file that only the person can read', async () => {
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

test('it is not shown once the server describes the tool otherwise, or its entry is another', async () => {
  const store = open();
  await store.save('s', written('Does x'), 'claude');
  expect(store.find('s', 'x', 'Own, and more.')).toBeUndefined();
  expect(store.find('s', 'x', undefined)).toBeUndefined();
  expect(open('b'.repeat(64)).find('s', 'x', 'Own.')).toBeUndefined();
  expect(store.find('other', 'x', 'Own.')).toBeUndefined();
});

test('texts for some tools leave those of the others alone, and an empty one takes a text back', async () => {
  const store = open();
  await store.save('s', new Map([...written('Does x'), ['__proto__', { text: 'Odd', own: undefined }]]), 'claude');
  await store.save('s', written(' \u200b\n'), 'claude');
  const texts = [...(open().forServer('s')?.texts ?? [])].map(([tool, { text }]) => [tool, text]);
  expect(texts).toEqual([['__proto__', 'Odd']]);
});

test('saves at the same time lose nothing, and each is announced', async () => {
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
  ['no controls, hidden or reordering characters', 'a\u0000b\u001b[31m\u202ec\u200bd\u{e0041}\u{e0101}', 'ab[31mcd'],
  ['no half characters', 'a\ud800b', 'a\ufffdb'],
  ['at most 200 characters', '🚀'.repeat(300), `${'🚀'.repeat(199)}…`],
])('a text is plain: %s', async (_, text, shown) => {
  const store = open();
  await store.save('s', written(text), 'claude');
  expect(store.find('s', 'x', 'Own.')).toBe(shown);
});

test.each(['', '{', '[]', '{"version":2,"texts":{}}', '{"version":1,"texts":{"x":5,"y":{"text":1}}}'])(
  'a file with %j in it is as good as none, and is replaced',
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

test('what is taken back is gone for the next core too, and says still who wrote the rest', async () => {
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

test('what another product has written is passed over once it was taken back, until something is written here', async () => {
  const inheriting = (): DescriptionStore =>
    new DescriptionStore(join(folder, 'texts'), () => hash, { find: () => 'From ToolMux', writtenAt: 5 });
  expect(inheriting().find('s', 'x', 'Own.')).toBe('From ToolMux');
  await inheriting().restoreOriginal('s', ['x']);
  expect([inheriting().find('s', 'x', 'Own.'), inheriting().find('s', 'x', undefined)]).toEqual([undefined, undefined]);
  expect(inheriting().find('s', 'y', 'Own.')).toBe('From ToolMux');
  await inheriting().save('s', written('Does x'), 'claude');
  expect(inheriting().find('s', 'x', 'Own.')).toBe('Does x');
});
