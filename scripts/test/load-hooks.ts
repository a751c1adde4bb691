/**
 * Module hooks for tests: the patched PostgreSQL client, the dashboard's rune modules, and the stand-in for Electron.
 */
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import type * as SvelteCompiler from 'svelte/compiler';
import { mend, mendedFiles } from '../mended-postgres.ts';

const require = createRequire(import.meta.url);
const standIn = new URL('../../tests/stand-in/electron.ts', import.meta.url).href;
const ours = new URL('../../src-main/', import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isElectron = specifier === 'electron' && context.parentURL?.startsWith(ours) === true;
    return isElectron ? { url: standIn, shortCircuit: true } : nextResolve(specifier, context);
  },
  load(url, context, nextLoad) {
    const change = changeOf(url);
    const loaded = nextLoad(url, context);
    return change ? { format: 'module', source: change(textOf(loaded.source)) } : loaded;
  },
});

function changeOf(url: string): ((text: string) => string) | undefined {
  if (mendedFiles.test(url)) return (text) => mend(text, url);
  return url.endsWith('.svelte.ts') ? (text) => svelteModule(text, url) : undefined;
}

function svelteModule(text: string, filename: string): string {
  // Loaded on demand, because a single test file needs it.
  const { compileModule } = require('svelte/compiler') as typeof SvelteCompiler;
  return compileModule(stripTypeScriptTypes(text), { filename, generate: 'server' }).js.code;
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | undefined | null): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined);
}
