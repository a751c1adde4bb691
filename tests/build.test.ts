/** Properties of the build in dist/. `npm test` builds first. */
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { openActivity } from './core/activity/fixture.ts';
import { ActivityThread } from '../src-main/core/activity/activity-thread.ts';
import { countTokens } from '../src-main/core/activity/activity-worker/count-tokens.ts';
import { allCases } from './support/all-cases.ts';

const root = join(import.meta.dirname, '..');
const built = globSync('dist/{*,chunks/*,python/*,team/*}.js', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Parsed with the bundler's parser, because the TypeScript compiler takes ten times as long for these megabytes. */
function importedBy({ path, text }: (typeof built)[number]): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const later = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    // Otherwise a name computed at run time.
    ...later.flatMap((written) => /^(["'`])(.*)\1$/s.exec(written)?.[2] ?? []),
  ];
}

test('the build contains every entry and the page', () => {
  const entries = [
    'cli.js',
    'main.js',
    'preload.cjs',
    'tray/normal-linux.png',
    'shim.cjs',
    'client.js',
    'client.d.ts',
    'activity-worker.js',
    'spill-writer-worker.js',
    'reader-worker.js',
    'js-runner-worker.js',
    'python-process.js',
    'keychain-process.js',
    'python-worker.js',
    'python/engine.image',
    'python/pyodide.asm.mjs',
    'python/pyodide.asm.wasm',
    'python/python_stdlib.zip',
    'quickjs.wasm',
    'renderer/index.html',
  ];
  expect(entries.filter((entry) => !existsSync(join(root, 'dist', entry)))).toEqual([]);
});

test('the built tokenizer, which stores its table in another form, counts the same as the source', async () => {
  const texts = [
    ...globSync('{README.md,docs/how-to/*.md}', { cwd: root }),
    'src-main/core/trust/scan/words/chinese.json',
  ]
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .concat('naïve 🎉👩‍👩‍👧 สวัสดีครับ \u0000\u0007\uD800 \r\n\t\\ "\'`${x}` \u2028');
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-built-'));
  const thread = new ActivityThread({ entry: pathToFileURL(join(root, 'dist/activity-worker.js')) });
  const log = openActivity(folder, { thread });
  const counted = await Promise.all(texts.map((text) => log.activity.countTokens(text)));
  await log[Symbol.asyncDispose]();
  await thread.close();
  rmSync(folder, { recursive: true });
  expect(counted).toEqual(texts.map((text) => ({ tokens: countTokens(text), estimated: false })));
});

test('the built shim loads only built-in modules and its own parts', () => {
  const texts = globSync('dist/{shim.cjs,chunks/*.cjs}', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const loaded = texts.flatMap((text) => [...text.matchAll(/\b(?:require|import)\(\s*(["'`])(.*?)\1/g)]);
  const names = loaded.map(([, , name]) => name ?? '');
  expect(names).toContain('node:net');
  expect(names.filter((name) => !name.startsWith('node:') && !/^\.{1,2}\/.*\.cjs$/.test(name))).toEqual([]);
});

test('the built files import no package except Electron', () => {
  const needed = built.flatMap(importedBy);
  expect(needed).toContain('electron');
  const packages = new Set(needed.filter((specifier) => !isBuiltin(specifier) && !specifier.startsWith('.')));
  expect([...packages].filter((name) => name !== 'electron')).toEqual([]);
});

test('the desktop app imports no file that its packages leave out', () => {
  const files = new Map(built.map((file) => [file.path, file]));
  const reached = new Set(['dist/main.js']);
  for (const path of reached) {
    const file = files.get(path);
    if (file === undefined) continue;
    for (const name of importedBy(file)) if (name.startsWith('.')) reached.add(posix.join(posix.dirname(path), name));
  }
  const leftOut = (path: string): boolean => path.startsWith('dist/team/');
  expect([...reached].filter(leftOut)).toEqual([]);
  expect([...files.keys()].filter(leftOut)).not.toEqual([]);
});

test('the keychain library of this system is built and has its notice', () => {
  const name = readdirSync(join(root, 'dist/keychain')).find((one) =>
    one.includes(`${process.platform}-${process.arch}`),
  );
  expect(name).toMatch(/\.node$/);
  const notices = readFileSync(join(root, 'dist/third-party-notices.txt'), 'utf8');
  expect(notices).toMatch(/^@napi-rs\/keyring-\S+ \S+: keyring-node\n\nMIT License/m);
});

test('every bundled package has its notice, and so have the font and the icons', () => {
  const maps = globSync('dist/{*,chunks/*}.js.map', { cwd: root }).map(
    (path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as { readonly sources: readonly string[] },
  );
  const named = maps.flatMap(({ sources }) =>
    sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]),
  );
  const packages = [...new Set(named)].filter((name) => name !== undefined);
  const notices = readFileSync(join(root, 'dist/third-party-notices.txt'), 'utf8');
  expect(packages.length).toBeGreaterThan(20);
  expect(packages.filter((name) => !notices.includes(`\n${name} `))).toEqual([]);
  // Every license text is included.
  const sections = notices.split(`\n${'-'.repeat(80)}\n\n`).slice(1);
  const grant =
    /permission is hereby granted|anyone is free to copy, modify|redistribution and use|permission to use, copy|apache license|license agreement|public license|blue oak model license/i;
  expect(sections.filter((section) => !grant.test(section))).toEqual([]);
  expect(notices).toMatch(/^@fontsource-variable\/inter .*\n[^]*?SIL OPEN FONT LICENSE/m);
  expect(notices).toMatch(/^@lucide\/svelte .*\n\nISC License/m);
});

test.runIf(allCases)(
  'the software compiled into the engines has its notice: CPython, its parts, and the libraries of both',
  async () => {
    const notices = readFileSync(join(root, 'dist/third-party-notices.txt'), 'utf8');
    expect(notices).toMatch(/^pyodide \S+ \(source: https:.*\)\n\nMozilla Public License Version 2\.0\n/m);
    expect(notices).toMatch(/^pyodide \S+: CPython \S+\n\nA\. HISTORY OF THE SOFTWARE/m);
    expect(notices).toMatch(/^quickjs-wasi \S+: QuickJS-NG\n\nCopyright \(c\) .* Fabrice Bellard/m);
    const { loadPyodide } = await import('pyodide');
    const engine = await loadPyodide();
    const said = engine.runPython(`
import sys, zlib, pyexpat, _decimal, _sqlite3, _zstd
"|".join([sys.copyright.splitlines()[0].rstrip("."), "zlib " + zlib.ZLIB_VERSION, pyexpat.EXPAT_VERSION.replace("_", " "),
  "libmpdec " + _decimal.__libmpdec_version__, "SQLite " + _sqlite3.sqlite_version, "Zstandard " + _zstd.zstd_version])
`) as string;
    const wanted = [
      ...said.split('|'),
      'HACL*',
      'bzip2',
      'liblzma',
      'libffi',
      'hiwire',
      'Emscripten',
      'Mersenne Twister',
    ];
    expect(wanted.filter((name) => !notices.includes(name))).toEqual([]);
  },
);
