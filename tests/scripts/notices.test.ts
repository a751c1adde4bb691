/** The third-party notices: every license has its text, and software compiled into a package is checked when it changes. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insidePackages } from '../../scripts/notices/inside-packages.ts';
import { noticesOf, packagesIn } from '../../scripts/notices/third-party.ts';

const root = join(import.meta.dirname, '../..');
const texts = join(root, 'scripts/notices/texts');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-notices-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The folder of a package created for the test. */
function packageOf(name: string, version: string, licence?: string): string {
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version, license: 'MIT', author: 'Somebody' }));
  if (licence !== undefined) writeFileSync(join(place, 'LICENSE.md'), licence);
  return place;
}

test('the build fails for a package that names its license without the text', () => {
  const [bare, whole] = [packageOf('bare', '1.0.0'), packageOf('whole', '1.0.0', 'Do as you like.')];
  expect(() => noticesOf([whole, bare])).toThrow('bare carries no licence');
  expect(noticesOf([whole])).toContain('whole 1.0.0\n\nDo as you like.\n');
  const known = { bare: { version: '1.0.0', own: 'lazy-val.txt', parts: [] } };
  expect(noticesOf([bare], known)).toContain('bare 1.0.0\n\nThe MIT License (MIT)\n');
});

test('software compiled into a package has its own notice, shared by packages with the same text', () => {
  const parts = [{ name: 'musl', text: 'musl.txt' }];
  const inside = { one: { version: '1.0.0', parts }, two: { version: '2.0.0', source: 'https://two.invalid', parts } };
  const notices = noticesOf([packageOf('one', '1.0.0', 'One.'), packageOf('two', '2.0.0', 'Two.')], inside);
  expect(notices).toContain('\none 1.0.0: musl\ntwo 2.0.0: musl\n\n');
  expect(notices).toContain('two 2.0.0 (source: https://two.invalid)\n\nTwo.\n');
});

test('the build fails for another version of a package that contains other software', () => {
  const inside = { one: { version: '1.0.0', parts: [] } };
  expect(() => noticesOf([packageOf('one', '1.0.1', 'One.')], inside)).toThrow('Look what one 1.0.1 has inside');
});

test('a copied file counts as part of a package like a bundled module', () => {
  const asset = { type: 'asset', originalFileNames: ['/p/node_modules/@a/b/engine.wasm'] } as const;
  const chunk = { type: 'chunk', moduleIds: ['\0/p/node_modules/c/index.js?url', '/p/src/own.ts'] } as const;
  expect(packagesIn([{ output: [asset, chunk] }], '/p/src')).toEqual(['/p/node_modules/@a/b', '/p/node_modules/c']);
});

test('the list matches the locked packages, and every text is used', () => {
  // Packages for other systems are only in the lock file.
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string } | undefined>>;
  };
  const found = Object.keys(insidePackages).map((name) => [name, packages[`node_modules/${name}`]?.version]);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(insidePackages).map(([name, { version }]) => [name, version])),
  );
  const used = Object.values(insidePackages).flatMap(({ own, parts }) => [own, ...parts.map(({ text }) => text)]);
  expect([...new Set(used)].filter((text) => text !== undefined).sort()).toEqual(readdirSync(texts).sort());
  const lock = readFileSync(join(root, 'node_modules/pyodide/pyodide-lock.json'), 'utf8');
  const { info } = JSON.parse(lock) as { readonly info: { readonly python: string; readonly platform: string } };
  const names = insidePackages['pyodide']?.parts.map(({ name }) => name);
  expect(names).toContain(`CPython ${info.python}`);
  const emscripten = info.platform.replace('emscripten_', '').replaceAll('_', '.');
  expect(readFileSync(join(texts, 'pyodide-libraries.txt'), 'utf8')).toContain(`Emscripten ${emscripten}\n`);
});
