/** Checks the structure rules of the sources and the code map, and the rules themselves with examples that break them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mappedPaths, misplacedRows, teamTableDifferences, unmappedFolders } from './architecture/code-map.ts';
import { canBeReadInOneGo, isNamedAfterItsTopic, saysWhatItIsFor } from './architecture/form-rules.ts';
import {
  contractIsTypesOnly,
  coreKnowsNoElectron,
  compatBehindItsRegistry,
  importsGoDown,
  rendererSeesOnlyTheContract,
  shimLoadsBuiltInsOnly,
  teamUsesTheEdition,
} from './architecture/import-rules.ts';
import { noStateAtImport } from './architecture/module-state.ts';
import { missingFiles, namedButMissing } from './architecture/named-files.ts';
import { foldersWithoutSource } from './architecture/test-folders.ts';
import { leavesNothingOld } from './architecture/short-lived-rules.ts';
import { readSources, type Rule, type Source } from './architecture/source.ts';
import { circles, crowdedFolders, intruders, mutualFolders } from './architecture/structure-rules.ts';
import { breakpointsAreNamed, breakpointsFile, readStyles, strangeBreakpoints } from './architecture/style-rules.ts';

const sources = readSources(`${import.meta.dirname}/..`);

interface Example {
  readonly path: string;
  readonly breaks: readonly string[];
  readonly keeps: readonly string[];
}

const lines = (number: number): string => '/** x */\n'.repeat(number);

const rules: Record<string, { rule: Rule; examples: Example[] }> = {
  'the modes of other systems are reached through their registry': {
    rule: compatBehindItsRegistry,
    examples: [
      {
        path: 'src-main/host/core-host.ts',
        breaks: [`import { gatewayMode } from '../compat/toolmux/modes.ts';`],
        keeps: [`import { allModes } from '../compat/all-modes.ts';`],
      },
    ],
  },
  'a team uses of core and rpc only what edition.ts exports': {
    rule: teamUsesTheEdition,
    examples: [
      {
        path: 'src-main/team/quotas/quotas.ts',
        breaks: [
          `import type { AdmitCall } from '../../core/calls/call-tool.ts';`,
          `import { noApps } from '../../rpc/deps.ts';`,
        ],
        keeps: [
          `import type { AdmitCall } from '../../core/edition.ts';`,
          `import { noApps } from '../../rpc/edition.ts';`,
          `import { AppError } from '../../core/base/errors.ts';`,
          `import type { AppState } from '../../rpc/contract.ts';`,
        ],
      },
    ],
  },
  'a folder imports only from folders before it': {
    rule: importsGoDown,
    examples: [
      {
        path: 'src-main/core/catalog/listed-names.ts',
        breaks: [
          `import { callTool } from '../calls/call-tool.ts';`,
          `import type { Session } from '../sessions/session.ts';`,
          `export { run } from '../../cli.ts';`,
          `const later = await import('../aggregator.ts');`,
          `type Session = import('../sessions/session.ts').Session;`,
          `import { thing } from '../unknown/thing.ts';`,
          `import { test } from '../../../tests/thing.ts';`,
        ],
        keeps: [
          `import { resolve } from './resolve.ts';`,
          `import { AppError } from '../base/errors.ts';`,
          `import { z } from 'zod';`,
        ],
      },
      { path: 'src-main/core/utilities/thing.ts', breaks: ['export const a = 1;'], keeps: [] },
      {
        path: 'src-main/core/create-core.ts',
        breaks: [`import '../rpc/handlers.ts';`],
        keeps: [`import './modes/index.ts';`],
      },
      { path: 'src-main/cli.ts', breaks: [], keeps: [`import './rpc/handlers.ts';`, `import '../package.json';`] },
    ],
  },
  'the core knows no Electron': {
    rule: coreKnowsNoElectron,
    examples: [
      {
        path: 'src-main/core/base/paths.ts',
        breaks: [`import { app } from 'electron';`, `import 'electron/main';`, `import Store from 'electron-store';`],
        keeps: [`import Conf from 'conf';`],
      },
      { path: 'src-main/cli.ts', breaks: [`await import('electron');`], keeps: [] },
      { path: 'src-main/desktop/tray.ts', breaks: [], keeps: [`import { Tray } from 'electron';`] },
    ],
  },
  'the renderer imports types only, and only those of the contract': {
    rule: rendererSeesOnlyTheContract,
    examples: [
      {
        path: 'src-renderer/lib/api.ts',
        breaks: [
          `import { CoreState } from '../../src-main/rpc/contract.ts';`,
          `import { type CoreState } from '../../src-main/rpc/contract.ts';`,
          `import type { Json } from '../../src-main/core/base/json.ts';`,
          `import { readFile } from 'node:fs';`,
        ],
        keeps: [
          `import type { CoreState } from '../../src-main/rpc/contract.ts';`,
          `import { count } from './format.ts';`,
        ],
      },
      {
        path: 'src-renderer/App.svelte',
        breaks: [`<p>a</p>\n<script lang="ts">\nimport { run } from '../src-main/cli.ts';\n</script>`],
        keeps: [`<script lang="ts">import type { CoreState } from '../src-main/rpc/contract.ts';</script>`],
      },
    ],
  },
  'the contract holds types only': {
    rule: contractIsTypesOnly,
    examples: [
      {
        path: 'src-main/rpc/contract.ts',
        breaks: [
          'export const version = 1;',
          'export function ask() {}',
          `import { a } from '../core/base/errors.ts';`,
        ],
        keeps: [
          'export interface A { readonly b: string }',
          'export type C = string;',
          `export type { D } from './d.ts';`,
        ],
      },
    ],
  },
  'nothing that is made for a call outlives it': {
    rule: leavesNothingOld,
    examples: [
      {
        path: 'src-main/core/calls/slow-call.ts',
        breaks: [
          'exchange.cancel = () => answer.cancel();',
          'class A { #wake; b(c) { this.#wake ??= () => c(); } }',
          'all[key] = function () {};',
          'class A { handleEvent() {} }',
        ],
        keeps: [
          'class A { readonly #giveUp = () => this.end(); }',
          'const stop = () => undefined;',
          'this.#wake = resolve;',
          'const parts = { call: () => call() };',
        ],
      },
      { path: 'src-main/core/create-core.ts', breaks: [], keeps: ['this.#stop = () => undefined;'] },
    ],
  },
  'no module has state at import time': {
    rule: noStateAtImport,
    examples: [
      {
        path: 'src-main/core/base/log.ts',
        breaks: [
          'let last = 0;',
          'export var count = 0;',
          'const cache = new Map<string, string>();',
          'const seen = new Set(["a"]);\nexport const see = (name: string) => seen.add(name);',
          'export const words = new Set(["a"]);',
          'const events = new Event<string>();',
          'const found: string[] = [];',
          'const byName: Record<string, string> = {};',
          'process.on("exit", stop);',
          'if (process.env.A) start();',
          'class A { static last = 0; }',
          'class A { static readonly all = new Map(); }',
        ],
        keeps: [
          'export const words: ReadonlySet<string> = new Set(["a"]);',
          'const words = new Set(["a"]);\nexport const knows = (word: string) => words.has(word);',
          'const none: readonly string[] = [];',
          'const names = ["a", "b"] as const;',
          'const encoder = new TextEncoder();',
          'const numbers = new Intl.NumberFormat("en");',
          'const limit = 3;',
          'class A { static readonly limit = 3; readonly seen = new Set<string>(); }',
          'function f() { let a = 0; const seen = new Map(); return seen.size + a; }',
        ],
      },
      { path: 'src-main/cli.ts', breaks: [], keeps: ['await run(process.argv);'] },
      {
        path: 'src-main/core/activity/activity-worker/activity-worker.ts',
        breaks: [],
        keeps: ['parentPort?.on("message", answer);'],
      },
    ],
  },
  'a file begins by saying what it is for': {
    rule: saysWhatItIsFor,
    examples: [
      {
        path: 'src-main/cli.ts',
        breaks: ['import a from "a";', '// A line.', '#!/usr/bin/env node\nimport a from "a";', ''],
        keeps: ['/** The command line. */', '#!/usr/bin/env node\n/** The command line. */'],
      },
      { path: 'src-renderer/App.svelte', breaks: ['<p></p>', '/** x */'], keeps: ['<!-- The page. -->'] },
    ],
  },
  'a file is named after its topic': {
    rule: isNamedAfterItsTopic,
    examples: [
      { path: 'src-main/core/base/utils.ts', breaks: ['/** x */'], keeps: [] },
      { path: 'src-renderer/lib/helpers.ts', breaks: ['/** x */'], keeps: [] },
      { path: 'src-main/core/base/json.ts', breaks: [], keeps: ['/** x */'] },
    ],
  },
  'a file can be read in one go': {
    rule: canBeReadInOneGo,
    examples: [{ path: 'src-main/core/base/json.ts', breaks: [lines(501)], keeps: [lines(500)] }],
  },
};

describe.each(Object.entries(rules))('%s', (_, { rule, examples }) => {
  test('holds in every source file', () => {
    expect(sources.flatMap(rule)).toEqual([]);
  });

  const broken = examples.flatMap(({ path, breaks }) => breaks.map((text): Source => ({ path, text })));
  test.each(broken)('reports $text in $path', (source) => {
    expect(rule(source)).toEqual([expect.stringContaining(`${source.path}:`)]);
  });

  const kept = examples.flatMap(({ path, keeps }) => keeps.map((text): Source => ({ path, text })));
  test.each(kept)('accepts $text in $path', (source) => {
    expect(rule(source)).toEqual([]);
  });
});

describe('built-in modules in the shim', () => {
  const shim = (text: string): Source => ({ path: 'src-main/shim.ts', text });
  const lineSplitter = (text: string): Source => ({ path: 'src-main/shim/lines.ts', text });

  test('the sources of the shim import no package', () => {
    expect(shimLoadsBuiltInsOnly(sources)).toEqual([]);
  });

  test('the server of the bundle imports no package', () => {
    expect(shimLoadsBuiltInsOnly(sources, 'src-main/mcpb.ts')).toEqual([]);
  });

  test('reports an imported package, including one that another file imports', () => {
    const through = [shim(`import './shim/lines.ts';`), lineSplitter(`import '../shim.ts';\nimport { z } from 'zod';`)];
    expect(shimLoadsBuiltInsOnly([shim(`import { z } from 'zod';`)])).toEqual([
      'src-main/shim.ts:1 must not import zod',
    ]);
    expect(shimLoadsBuiltInsOnly(through)).toEqual(['src-main/shim/lines.ts:2 must not import zod']);
  });

  test('accepts type imports and dynamic imports from any package', () => {
    const free = shim(
      `import net from 'node:net';\nimport type { A } from 'zod';\nconst core = () => import('./cli.ts');`,
    );
    expect(shimLoadsBuiltInsOnly([free])).toEqual([]);
  });
});

test('test folders mirror the source folders', () => {
  expect(foldersWithoutSource(`${import.meta.dirname}/..`)).toEqual([]);
});

test('every file that the documents name exists', () => {
  const root = `${import.meta.dirname}/..`;
  expect(namedButMissing(root, (document) => readFileSync(`${root}/${document}`, 'utf8'))).toEqual([]);
});

test('reports a named file that does not exist, with or without its folder', () => {
  const paths = ['src-main/core/calls/call-tool.ts'];
  const kept = 'See `calls/call-tool.ts`, `call-tool.ts`, electron.d.ts, `core/modes/my-mode.ts`.';
  expect(missingFiles(kept, paths)).toEqual([]);
  expect(missingFiles('`call.ts`, modes/call-tool.ts.', paths)).toEqual(['call.ts', 'modes/call-tool.ts']);
});

describe('the code map of src-main/README.md', () => {
  const root = `${import.meta.dirname}/..`;
  const readme = readFileSync(`${root}/src-main/README.md`, 'utf8');

  test('lists every layer in the order of imports', () => {
    expect(misplacedRows(readme)).toEqual([]);
  });

  test('is part of a page of at most 2,500 words', () => {
    const words = readme.split(/\s+/).filter((word) => /\w/.test(word));
    expect(words.length).toBeLessThanOrEqual(2500);
  });

  test('names every folder', () => {
    expect(unmappedFolders(root, readme)).toEqual([]);
    expect(teamTableDifferences(root, readme)).toEqual([]);
  });

  test('reports a row in the wrong place, an unknown folder, and a layer without a row', () => {
    const table = (...rows: string[]): string =>
      `## Code map\n\n${rows.map((row) => `| ${row} | x |`).join('\n')}\n\n## Next\n`;
    expect(mappedPaths(table('folder', '`core/base`', '`cli`, `shim`'))).toEqual(['core/base', 'cli', 'shim']);
    expect(misplacedRows(table('`core/wire`', '`core/base`'))).toEqual(expect.arrayContaining(['core/base', 'health']));
    expect(misplacedRows(table('`core/base`', '`core/nowhere`'))).toContain('core/nowhere');
    expect(misplacedRows(readme.replace('`core/health`', 'x'))).toEqual(['health']);
    expect(unmappedFolders(root, readme.replace('`core/health`', 'x'))).toEqual(['core/health']);
    expect(teamTableDifferences(root, readme.replace('| `admin`', '| `board`'))).toEqual(['admin', 'board']);
  });
});

test('the rules run on the real source files', () => {
  expect(sources.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['src-main/rpc/contract.ts', 'src-main/core/base/errors.ts', 'src-renderer/App.svelte']),
  );
});

describe('import structure', () => {
  const file = (path: string, ...imported: string[]): Source => ({
    path,
    text: imported.map((other) => `import type { A } from '${other}';`).join('\n'),
  });

  test('no imports form a cycle, including type imports', () => {
    expect(circles(sources)).toEqual([]);
  });

  test('reports a cycle without the files that lead to it', () => {
    const round = [file('a.ts', './b.ts'), file('b.ts', './c.ts'), file('c.ts', './b.ts'), file('d.ts', './a.ts')];
    expect(circles(round)).toEqual(['b.ts <-> c.ts']);
  });

  test('no two folders import each other, except a folder and its subfolders', () => {
    expect(mutualFolders(sources)).toEqual([]);
  });

  test('reports two folders that import each other, but not a parent and its child', () => {
    const parent = [file('a/a.ts', './in/a.ts'), file('a/in/a.ts', '../b.ts'), file('a/b.ts')];
    expect(mutualFolders(parent)).toEqual([]);
    const both = [file('a/a.ts', '../b/a.ts'), file('b/b.ts', '../a/b.ts'), file('b/a.ts'), file('a/b.ts')];
    expect(mutualFolders(both)).toEqual(['a -> b']);
  });

  test('no folder holds more than 30 files', () => {
    expect(crowdedFolders(sources)).toEqual([]);
  });

  test('reports a folder with more than 30 files', () => {
    const many = Array.from({ length: 31 }, (_, number) => file(`a/${number}.ts`));
    expect(crowdedFolders(many)).toEqual(['a has 31 files']);
    expect(crowdedFolders(many.slice(1))).toEqual([]);
  });

  test("only a worker's own files import from its folder, except its messages", () => {
    expect(intruders(sources)).toEqual([]);
  });

  test("reports any other file that imports a worker's part", () => {
    const text = `import { run } from './read-worker/grep.ts';`;
    expect(intruders([{ path: 'src-main/reader.ts', text }])).toEqual([
      'src-main/reader.ts:1 must not import src-main/read-worker/grep.ts',
    ]);
    const types = `import type { Run } from './read-worker/grep.ts';`;
    const messages = `import { kinds } from './read-worker/reader-messages.ts';`;
    expect(intruders([{ path: 'src-main/reader.ts', text: `${types}\n${messages}` }])).toEqual([]);
  });
});

describe('breakpoints of the page', () => {
  const style = (text: string): Source => ({ path: 'src-renderer/App.svelte', text });
  const styles = readStyles(`${import.meta.dirname}/..`);

  test('only the file of breakpoints sets a width', () => {
    expect(styles.flatMap(breakpointsAreNamed)).toEqual([]);
  });

  test('every breakpoint that is used is defined, and every defined one is used', () => {
    expect(strangeBreakpoints(styles)).toEqual([]);
  });

  test.each([
    '@media (width < 50rem) {}',
    '@media print and (max-width: 600px) {}',
    '@container (inline-size > 30rem) {}',
    'const isNarrow = matchMedia("(min-width: 600px)").matches;',
    'const isNarrow = window.innerWidth < 600;',
  ])('reports %s', (text) => {
    expect(breakpointsAreNamed(style(`\n${text}`))).toEqual(['src-renderer/App.svelte:2 has a width of its own']);
  });

  test('accepts named breakpoints and media queries that are not about width', () => {
    const free = '@media (--narrow) { p { width: 3rem } } @media (prefers-reduced-motion: reduce) {}';
    expect(breakpointsAreNamed(style(free))).toEqual([]);
    expect(breakpointsAreNamed({ path: breakpointsFile, text: '@custom-media --a (width < 3rem);' })).toEqual([]);
  });

  test('reports an undefined breakpoint and an unused one', () => {
    const all = [style('@media (--narow) {}'), style('@custom-media --narrow (width < 44rem);')];
    expect(strangeBreakpoints(all)).toEqual(['--narow', '--narrow']);
  });
});
