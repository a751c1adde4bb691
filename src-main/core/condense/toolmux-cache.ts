/**
 * Reads `.toolmux_cache.json` next to a ToolMux config: short tool descriptions written by a model. ToolMux uses
 * them while the config is the text that they were created for, and so do we.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, objectOrEmpty } from '../base/json.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { truncateLine } from './condense-tool.ts';
import { maxDescriptionLength } from './description-store.ts';

interface Cache {
  /** When the descriptions were written, in ms since 1970; undefined if unknown. */
  readonly at: number | undefined;
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const empty: Cache = { at: undefined, texts: new Map() };

const cacheFile = '.toolmux_cache.json';
/** Enough for some thousand servers with some thousand tools. */
const maxBytes = 16 * 1024 * 1024;

export class ToolmuxCache {
  readonly #config: Pick<ConfigStore, 'current' | 'path'>;
  /** Entries by server, then tool; undefined: not read yet. */
  #cache: Cache | undefined;

  constructor(config: Pick<ConfigStore, 'current' | 'path' | 'changed'>) {
    this.#config = config;
    config.changed.on(() => (this.#cache = undefined));
  }

  find(server: string, tool: string): string | undefined {
    return this.#read().texts.get(server)?.get(tool);
  }

  /** When the descriptions were written, in ms since 1970. */
  get writtenAt(): number | undefined {
    return this.#read().at;
  }

  #read(): Cache {
    const { current, path } = this.#config;
    if (current.product !== 'toolmux') return empty;
    this.#cache ??= read(path);
    return this.#cache;
  }
}

/**
 * Read synchronously, because lists of tools are created synchronously. An unreadable file, or that of another config,
 * counts as empty.
 */
function read(configFile: string): Cache {
  const file = join(dirname(configFile), cacheFile);
  try {
    if (statSync(file).size > maxBytes) return empty;
    const cache: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(cache) || !isObject(cache['servers'])) return empty;
    const hash = createHash('sha256').update(readFileSync(configFile)).digest('hex');
    // Created by rules, they say less than our own lines.
    if (cache['config_hash'] !== `sha256:${hash}` || cache['model'] === 'algorithmic') return empty;
    const texts = new Map(Object.entries(cache['servers']).map(([server, known]) => [server, textsOf(known)] as const));
    const at = Date.parse(String(cache['generated_at']));
    return { at: Number.isFinite(at) ? at : undefined, texts };
  } catch {
    return empty;
  }
}

function textsOf(known: unknown): ReadonlyMap<string, string> {
  const descriptions = objectOrEmpty(objectOrEmpty(known)['descriptions']);
  const lines = Object.entries(descriptions).flatMap(([tool, text]): [string, string][] => {
    const line = typeof text === 'string' ? truncateLine(text, maxDescriptionLength) : '';
    return line === '' ? [] : [[tool, line]];
  });
  return new Map(lines);
}
