/** Builds dist/: the page for a browser, and the core for Node 24 with every package bundled in. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import typescript from 'typescript';
import { defineConfig, type EnvironmentOptions, type Plugin, type Rolldown } from 'vite';
import { mendedPostgres } from './scripts/mended-postgres.ts';
import { type BuildOutput, noticesOf, packagesIn } from './scripts/notices/third-party.ts';

const at = (path: string): string => resolve(import.meta.dirname, path);

/** The Chromium of the Electron line in package.json is newer; the page is also opened in people's own browsers. */
const client: EnvironmentOptions = {
  build: { outDir: at('dist/renderer'), emptyOutDir: true, target: ['chrome125', 'firefox128', 'safari17.5'] },
};

/** Of use to a team alone: the desktop packages leave it out. */
const isOfTeam = (module: string): boolean =>
  /\/src-main\/(?:team|cli\/commands\/team)\/|\/node_modules\/(?:postgres|s3mini)\//.test(module);

const main: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, conditions: ['node'], external: ['electron'] },
  build: {
    outDir: at('dist'),
    emptyOutDir: true,
    target: 'node20',
    minify: true,
    sourcemap: true,
    rolldownOptions: {
      platform: 'node',
      external: ['electron', /^node:/],
      input: {
        cli: at('src-main/cli.ts'),
        main: at('src-main/main.ts'),
        'activity-worker': at('src-main/core/activity/activity-worker/activity-worker.ts'),
        'scan-worker': at('src-main/core/trust/scan/scan-worker.ts'),
        'description-worker': at('src-main/core/servers/openapi/description-worker.ts'),
        'spill-writer-worker': at('src-main/core/spills/writer/spill-writer-worker.ts'),
        'reader-worker': at('src-main/core/spills/read-worker/reader-worker.ts'),
        'data-worker': at('src-main/core/spills/read-worker/data-worker.ts'),
        'js-runner-worker': at('src-main/core/code-runner/js-worker/js-runner-worker.ts'),
        'keychain-process': at('src-main/core/secrets/keychain-worker/keychain-process.ts'),
      },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: ({ moduleIds }) => `${moduleIds.some(isOfTeam) ? 'team' : 'chunks'}/[name]-[hash].js`,
      },
    },
  },
};

/** Apart from all else: the process may read these files alone, and packages have them outside of the archive. */
const python: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, conditions: ['node'] },
  build: {
    outDir: at('dist'),
    emptyOutDir: false,
    target: 'node20',
    minify: true,
    sourcemap: true,
    rolldownOptions: {
      platform: 'node',
      external: [/^node:/],
      input: {
        'python-process': at('src-main/core/code-runner/python-worker/python-process.ts'),
        'python-worker': at('src-main/core/code-runner/python-worker/python-worker.ts'),
      },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'python/[name]-[hash].js' },
    },
  },
};

/** On its own and as CommonJS: it starts 3 ms sooner than as a module, a tenth of all it takes. */
const shim: EnvironmentOptions = {
  consumer: 'server',
  build: {
    outDir: at('dist'),
    emptyOutDir: false,
    target: 'node20',
    minify: true,
    sourcemap: true,
    rolldownOptions: {
      platform: 'node',
      external: [/^node:/],
      input: { shim: at('src-main/shim.ts'), tooltray: at('src-main/tooltray.ts') },
      output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'chunks/[name]-[hash].cjs' },
    },
  },
};

/** A sandboxed preload has to be one CommonJS file; `electron` is all it may require. */
const preload: EnvironmentOptions = {
  consumer: 'server',
  resolve: { external: ['electron'] },
  build: {
    outDir: at('dist'),
    emptyOutDir: false,
    target: 'node20',
    minify: true,
    rolldownOptions: {
      platform: 'node',
      external: ['electron'],
      input: { preload: at('src-main/preload.ts') },
      output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
    },
  },
};

/** `tooltray/client`, for other people's programs: one file that needs nothing of Node.js. */
const library: EnvironmentOptions = {
  consumer: 'server',
  build: {
    outDir: at('dist'),
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      platform: 'neutral',
      input: { client: at('src-main/client/proxy-client.ts') },
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
};

/** The page waits with its first picture for the few lines that know its theme; Firefox, which knows no such word, draws at once. */
const themeFirst: Plugin = {
  name: 'theme-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replaceAll('<script type="module"', '<script type="module" blocking="render"'),
  },
};

/**
 * The tokenizer's table of 200,000 words as JSON in a string: read as a program it costs a thread twice the time, and memory that the
 * process keeps when the thread has ended.
 */
const tableAsJson: Plugin = {
  name: 'table-as-json',
  applyToEnvironment: ({ name }) => name === 'main',
  transform: {
    filter: { id: /gpt-tokenizer\/esm\/bpeRanks\/\w+\.js$/ },
    async handler(_code, id) {
      const { default: table } = (await import(pathToFileURL(id).href)) as { readonly default: unknown };
      return { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(table))});`, map: null };
    },
  },
};

const libraryTypes: Plugin = {
  name: 'library-types',
  applyToEnvironment: ({ name }) => name === 'library',
  generateBundle() {
    const source = readFileSync(at('src-main/client/proxy-client.ts'), 'utf8');
    const { outputText } = typescript.transpileDeclaration(source, { compilerOptions: {} });
    this.emitFile({ type: 'asset', fileName: 'client.d.ts', source: outputText });
  },
};

/** The sandbox's engine is no module that could be bundled: its worker reads the file beside itself. */
const sandboxEngine: Plugin = {
  name: 'sandbox-engine',
  applyToEnvironment: ({ name }) => name === 'main',
  generateBundle() {
    this.emitFile(copied('quickjs-wasi/quickjs.wasm', 'quickjs.wasm'));
  },
};

/** CPython and its image lie in a folder of their own, beside the worker that loads them. */
const pythonEngine: Plugin = {
  name: 'python-engine',
  applyToEnvironment: ({ name }) => name === 'main',
  generateBundle() {
    for (const name of ['pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip']) {
      this.emitFile(copied(`pyodide/${name}`, `python/${name}`));
    }
    // In a process of its own: the engine changes what is global.
    const image = execFileSync(process.execPath, [at('scripts/python-image/make.mjs')], { encoding: 'utf8' });
    this.emitFile({ type: 'asset', fileName: 'python/engine.image', source: readFileSync(image) });
  },
};

/** The library for the system's keychain, of each system that is installed here: one file, loaded by the process that needs it. */
const keychainLibrary: Plugin = {
  name: 'keychain-library',
  applyToEnvironment: ({ name }) => name === 'main',
  generateBundle() {
    for (const name of readdirSync(at('node_modules/@napi-rs')).filter((one) => one.startsWith('keyring-'))) {
      const file = `${name.replace('-', '.')}.node`;
      this.emitFile(copied(`@napi-rs/${name}/${file}`, `keychain/${file}`));
    }
  },
};

/** The tray's icons go along: only dist/ is packed. */
const trayIcons: Plugin = {
  name: 'tray-icons',
  applyToEnvironment: ({ name }) => name === 'main',
  generateBundle() {
    for (const name of readdirSync(at('resources/tray')).filter((one) => /\.(png|ico)$/.test(one))) {
      this.emitFile({ type: 'asset', fileName: `tray/${name}`, source: readFileSync(at(`resources/tray/${name}`)) });
    }
  },
};

export default defineConfig({
  root: at('src-renderer'),
  plugins: [
    svelte({ configFile: at('svelte.config.js') }),
    themeFirst,
    tableAsJson,
    mendedPostgres,
    sandboxEngine,
    pythonEngine,
    keychainLibrary,
    trayIcons,
    libraryTypes,
  ],
  environments: { client, main, python, shim, preload, library },
  builder: {
    // `main` first: it empties dist/, in which the page then gets its folder.
    async buildApp(builder) {
      const outputs: BuildOutput[] = [];
      for (const environment of [
        builder.environments['main'],
        builder.environments['python'],
        builder.environments['shim'],
        builder.environments['preload'],
        builder.environments['library'],
        builder.environments['client'],
      ]) {
        if (environment) outputs.push(...[await builder.build(environment)].flat().filter(isWritten));
      }
      writeFileSync(at('dist/third-party-notices.txt'), noticesOf(packagesIn(outputs, at('src-renderer'))));
    },
  },
});

/** A package's file that is passed on as it is, and named so that the notices know of it. */
function copied(specifier: string, fileName: string): Rolldown.EmittedAsset {
  const originalFileName = fileURLToPath(import.meta.resolve(specifier));
  return { type: 'asset', fileName, originalFileName, source: readFileSync(originalFileName) };
}

/** A build that watches says later what it wrote. */
function isWritten<T extends object>(output: T): output is Extract<T, BuildOutput> {
  return 'output' in output;
}
