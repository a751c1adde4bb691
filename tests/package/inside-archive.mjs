/**
 * Loaded before a program: files inside an .asar archive are there, as Electron has it, for the functions that Electron wraps and no
 * others. What a program reads in another way fails here.
 */
import { Buffer } from 'node:buffer';
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import { extractFile, statFile } from '@electron/asar';

/** The archive and the file in it; undefined for any other path. */
function inside(path) {
  const text = path instanceof URL ? (path.protocol === 'file:' ? fileURLToPath(path) : '') : String(path);
  const at = text.indexOf(`.asar${sep}`);
  return at < 0 ? undefined : { archive: text.slice(0, at + 5), file: text.slice(at + 6) };
}

function read({ archive, file }, options) {
  const bytes = Buffer.from(extractFile(archive, file));
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return encoding ? bytes.toString(encoding) : bytes;
}

function exists({ archive, file }) {
  try {
    return statFile(archive, file) !== undefined;
  } catch {
    return false;
  }
}

const { readFileSync, existsSync } = fs;
const { readFile } = fs.promises;
fs.readFileSync = (path, options) => {
  const place = inside(path);
  return place ? read(place, options) : readFileSync(path, options);
};
fs.existsSync = (path) => {
  const place = inside(path);
  return place ? exists(place) : existsSync(path);
};
fs.promises.readFile = async (path, options) => {
  const place = inside(path);
  return place ? read(place, options) : readFile(path, options);
};
// Electron does the same in every thread.
threads.Worker = class extends threads.Worker {
  constructor(entry, options) {
    super(entry, { ...options, execArgv: [...(options?.execArgv ?? []), '--import', import.meta.url] });
  }
};
syncBuiltinESMExports();

registerHooks({
  resolve(specifier, context, next) {
    const url = /^(\.|file:)/.test(specifier) ? new URL(specifier, context.parentURL) : undefined;
    return url && inside(url) ? { url: url.href, format: 'module', shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    const place = url.startsWith('file:') ? inside(new URL(url)) : undefined;
    return place ? { format: 'module', source: read(place), shortCircuit: true } : next(url, context);
  },
});
