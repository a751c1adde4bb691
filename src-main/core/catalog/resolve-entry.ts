/**
 * Finds the tool or prompt that a name means, in every spelling the four systems use: the listed name, `server:tool`,
 * `c2:tool`, `server_tool`, `server__tool`, and the bare name where it is unique.
 */
import { AppError } from '../base/errors.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';

export interface ResolveOptions {
  /** The server named beside the tool, by name, alias `cN`, slug, `default` or `primary`. */
  readonly server?: string | undefined;
  /** Nearest names for "did you mean". */
  readonly suggest?: (name: string) => readonly string[];
}

/** Throws AppError tool_not_found or tool_ambiguous (`data.candidates`), server_not_found for an unknown server. */
export function resolveEntry(
  catalog: Catalog,
  key: 'tools' | 'prompts',
  spelling: string,
  options: ResolveOptions = {},
): CatalogEntry {
  const entries = catalog[key];
  const server = options.server === undefined ? undefined : resolveServer(catalog, options.server);
  const pool = server === undefined ? entries : entries.filter((entry) => entry.server === server);
  const found = byListedName(pool, spelling) ?? byId(catalog, pool, spelling) ?? byPrefix(catalog, pool, spelling);
  if (found !== undefined) return found;
  const bare = pool.filter((entry) => entry.name === spelling);
  if (bare.length === 1) return bare[0] as CatalogEntry;
  throw bare.length > 1 ? ambiguous(spelling, bare) : notFound(key, spelling, options.suggest?.(spelling) ?? []);
}

/** The name of a server given by name, alias `cN`, slug, or `default`/`primary` (the first). */
export function resolveServer(catalog: Catalog, handle: string): string {
  const { servers } = catalog;
  const plain = handle.trim();
  if (servers.includes(plain)) return plain;
  const first = /^(default|primary)$/i.test(plain) ? servers[0] : undefined;
  const byAlias = servers.find((name) => catalog.aliases.get(name) === plain);
  const bySlug = servers.find((name) => catalog.slugs.get(name) === plain.toLowerCase());
  const found = byAlias ?? first ?? bySlug ?? servers.find((name) => name.toLowerCase() === plain.toLowerCase());
  if (found !== undefined) return found;
  throw new AppError('server_not_found', `There is no server named ${JSON.stringify(handle)}.`, {
    fix: servers.length === 0 ? 'No server is configured yet.' : `There are: ${servers.join(', ')}.`,
    data: { available: [...servers] },
  });
}

function byListedName(pool: readonly CatalogEntry[], spelling: string): CatalogEntry | undefined {
  return pool.find((entry) => entry.listedName === spelling);
}

function byId(catalog: Catalog, pool: readonly CatalogEntry[], spelling: string): CatalogEntry | undefined {
  const exact = pool.find((entry) => entry.id === spelling);
  if (exact !== undefined) return exact;
  const colon = spelling.indexOf(':');
  if (colon <= 0) return undefined;
  const server = quietly(() => resolveServer(catalog, spelling.slice(0, colon)));
  return pool.find((entry) => entry.server === server && entry.name === spelling.slice(colon + 1));
}

/** `server_tool` and `server__tool`: the longest server name that fits wins, so that `git_hub_x` is never `git`'s. */
function byPrefix(catalog: Catalog, pool: readonly CatalogEntry[], spelling: string): CatalogEntry | undefined {
  const fits = pool.flatMap((entry) => {
    const prefixes = [entry.server, catalog.slugs.get(entry.server) ?? entry.server];
    const length = Math.max(
      ...prefixes.map((prefix) =>
        spelling === `${prefix}_${entry.name}` || spelling === `${prefix}__${entry.name}` ? prefix.length : -1,
      ),
    );
    return length < 0 ? [] : [{ entry, length }];
  });
  return fits.sort((a, b) => b.length - a.length)[0]?.entry;
}

function ambiguous(spelling: string, found: readonly CatalogEntry[]): AppError {
  const candidates = found.map((entry) => entry.id);
  return new AppError('tool_ambiguous', `${JSON.stringify(spelling)} is the name of ${found.length} tools.`, {
    fix: `Say which: ${candidates.join(', ')}.`,
    data: { candidates },
  });
}

function notFound(key: 'tools' | 'prompts', spelling: string, near: readonly string[]): AppError {
  const what = key === 'tools' ? 'tool' : 'prompt';
  return new AppError('tool_not_found', `Unknown ${what}: ${JSON.stringify(spelling)} was not found.`, {
    fix: near.length === 0 ? `Look up the ${what}s there are first.` : `Did you mean ${near.join(', ')}?`,
    data: { candidates: [...near] },
  });
}

function quietly<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
