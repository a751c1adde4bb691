/**
 * Names under which servers' tools and prompts are listed: safe for every client app, short, stable, unique.
 * Limits: `[A-Za-z0-9_-]` and 60 characters satisfy Cursor (60), Gemini (63), Claude Desktop (64) and Claude Code
 * (128).
 */
import { createHash } from 'node:crypto';

export const maxNameLength = 60;
/** The longest name that is looked up, in UTF-16 units; the specification recommends at most 128 for a tool's. */
export const maxRequestedNameLength = 1024;
const hashLength = 6;

/** A server's name as a prefix: lower case, anything odd a dash. */
export function slug(server: string): string {
  return server.toLowerCase().replace(/[^a-z0-9-]+/g, '-') || 'server';
}

/**
 * Prefixes of all servers: what their entries say, else slugs; unique even where names differ in odd characters only.
 */
export function slugs(
  servers: readonly { readonly name: string; readonly prefix?: string | undefined }[],
): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const result = new Map<string, string>();
  for (const { name, prefix } of servers) {
    const plain = prefix ?? slug(name);
    const unique = taken.has(plain) ? `${plain}-${hash(name)}` : plain;
    taken.add(unique);
    result.set(name, unique);
  }
  return result;
}

/** Assigns listed names, each once. */
export class ListedNameAllocator {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved);
  }

  /** The listed name of an entry; `prefix` is left away where there is one server only. */
  allocate(prefix: string | undefined, name: string, id: string): string {
    const safe = name.replace(/[^A-Za-z0-9_-]/g, '_');
    // Gemini wants a letter or "_" first.
    const whole = (prefix === undefined ? safe : `${prefix}_${safe}`).replace(/^(?![A-Za-z_])/, 't');
    const given = whole.length <= maxNameLength && !this.#taken.has(whole) ? whole : this.#suffixed(whole, id);
    this.#taken.add(given);
    return given;
  }

  /**
   * Six digits of a hash are enough to read and nearly always to distinguish; among thousands of tools some need more.
   */
  #suffixed(whole: string, id: string): string {
    for (let length = hashLength; ; length++) {
      const name = `${whole.slice(0, maxNameLength - length - 1)}_${hash(id, length)}`;
      if (!this.#taken.has(name)) return name;
    }
  }
}

function hash(text: string, length: number = hashLength): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
