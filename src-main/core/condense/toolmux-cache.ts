/**
 * `.toolmux_cache.json` next to a ToolMux config: short descriptions that a model wrote there for tools. ToolMux trusts
 * them while the config is the very text that they were made for, and so do we.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, objectOrEmpty } from '../base/json.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { truncateLine } from './condense-tool.ts';
import { maxDescriptionLength } from './description-store.ts';

interface Cache {
  /** When a model wrote the texts, in ms since 1970; undefined if the file does not say. */
  readonly at: number | undefined;
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const empty: Cache = { at: undefined, texts: new Map() };

const cacheFile = '.toolmux_cache.json';
/** Some thousand servers with some thousand tools fit. */
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

  /** When the texts were written, in ms since 1970. */
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

/** Read at once, because a list of tools is made at once. What cannot be read, or is of another config, has nothing. */
function read(configFile: string): Cache {
  const file = join(dirname(configFile), cacheFile);
  try {
    if (statSync(file).size > maxBytes) return empty;
    const cache: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(cache) || !isObject(cache['servers'])) return empty;
    const hash = createHash('sha256').update(readFileSync(configFile)).digest('hex');
    // Made by rule, they say less than our own lines do.
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
