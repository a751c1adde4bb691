/**
 * Listed names of servers' tools and prompts: valid for every client app, short, stable, unique. Limits:
 * `[A-Za-z0-9_-]` and 60 characters satisfy Cursor (60), Gemini (63), Claude Desktop (64) and Claude Code (128).
 */
import { createHash } from 'node:crypto';

export const maxNameLength = 60;
/** Maximum length of a name that is looked up, in UTF-16 units; the specification recommends at most 128 for tools. */
export const maxRequestedNameLength = 1024;
const hashLength = 6;

/** A server's name as a prefix: lower case, other characters as dashes. */
export function slug(server: string): string {
  return server.toLowerCase().replace(/[^a-z0-9-]+/g, '-') || 'server';
}

/**
 * Prefixes of all servers: from their entries, otherwise slugs; unique even for names that differ only in special
 * characters.
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

/** Assigns distinct listed names. */
export class ListedNameAllocator {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved);
  }

  /** The listed name of an entry; `prefix` is omitted for a single server. */
  allocate(prefix: string | undefined, name: string, id: string): string {
    const safe = name.replace(/[^A-Za-z0-9_-]/g, '_');
    // Gemini requires a letter or "_" first.
    const whole = (prefix === undefined ? safe : `${prefix}_${safe}`).replace(/^(?![A-Za-z_])/, 't');
    const given = whole.length <= maxNameLength && !this.#taken.has(whole) ? whole : this.#suffixed(whole, id);
    this.#taken.add(given);
    return given;
  }

  /** Six digits of a hash are readable and usually unique; among thousands of tools some need more. */
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
