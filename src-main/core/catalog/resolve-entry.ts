/**
 * Finds the tool or prompt that a name means, in every spelling the four systems use: the listed name, `server:tool`,
 * `c2:tool`, `server_tool`, `server__tool`, and the bare name where it is unique; `server.tool` and `server/tool`, which models write.
 */
import { AppError } from '../base/errors.ts';
import { shortName } from '../base/shown-text.ts';
import type { Catalog, CatalogEntry, EntryLookup } from './catalog.ts';

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
  const server = options.server === undefined ? undefined : resolveServer(catalog, options.server);
  const search: Search = { catalog, lookup: catalog.lookup[key], server };
  const found = byListedName(search, spelling) ?? byId(search, spelling) ?? byPrefix(search, spelling);
  if (found !== undefined) return found;
  const bare = search.lookup.named(spelling).filter((entry) => isAmong(search, entry));
  if (bare.length === 1) return bare[0] as CatalogEntry;
  const loose = bare.length > 1 ? undefined : byLoosePrefix(search, spelling);
  if (loose !== undefined) return loose;
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
  throw new AppError('server_not_found', `There is no server named ${JSON.stringify(shortName(handle))}.`, {
    fix: servers.length === 0 ? 'No server is configured yet.' : `There are: ${servers.join(', ')}.`,
    data: { available: [...servers] },
  });
}

/** The same; undefined where that names no server, or not clearly. */
export function serverNamed(catalog: Catalog, handle: string): string | undefined {
  return quietly(() => resolveServer(catalog, handle));
}

interface Search {
  readonly catalog: Catalog;
  readonly lookup: EntryLookup;
  /** The only one whose entries count; undefined: all do. */
  readonly server: string | undefined;
}

function isAmong({ server }: Search, entry: CatalogEntry): boolean {
  return server === undefined || entry.server === server;
}

function byListedName(search: Search, spelling: string): CatalogEntry | undefined {
  const entry = search.lookup.listedAs(spelling);
  return entry !== undefined && isAmong(search, entry) ? entry : undefined;
}

function byId(search: Search, spelling: string): CatalogEntry | undefined {
  const exact = search.lookup.withId(spelling).find((entry) => isAmong(search, entry));
  if (exact !== undefined) return exact;
  const colon = spelling.indexOf(':');
  if (colon <= 0) return undefined;
  const server = serverNamed(search.catalog, spelling.slice(0, colon));
  return ofServer(search, server, spelling.slice(colon + 1));
}

function byPrefix(search: Search, spelling: string): CatalogEntry | undefined {
  return prefixedEntries(search.catalog, search.lookup, spelling).find((entry) => isAmong(search, entry));
}

/** `server_tool` and `server__tool`: the longest server name that fits comes first, so that `git_hub_x` is never `git`'s. */
export function prefixedEntries(
  { prefixes }: Pick<Catalog, 'prefixes'>,
  lookup: EntryLookup,
  spelling: string,
): readonly CatalogEntry[] {
  return prefixes
    .filter(({ prefix }) => spelling[prefix.length] === '_' && spelling.startsWith(prefix))
    .flatMap(({ server, prefix }) => {
      const rest = spelling.slice(prefix.length + 1);
      const names = rest.startsWith('_') ? [rest, rest.slice(1)] : [rest];
      return names.flatMap((name) => lookup.named(name).filter((entry) => entry.server === server));
    });
}

/** `server.tool`, `server/tool` and `Server_tool`: what a name may mean that means nothing else. */
function byLoosePrefix(search: Search, spelling: string): CatalogEntry | undefined {
  const lower = spelling.toLowerCase();
  for (const { server, prefix } of search.catalog.prefixes) {
    if (!lower.startsWith(prefix.toLowerCase())) continue;
    const name = /^(?:__?|[./])(.+)$/s.exec(spelling.slice(prefix.length))?.[1];
    const found = name === undefined ? undefined : ofServer(search, server, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofServer(search: Search, server: string | undefined, name: string): CatalogEntry | undefined {
  return search.lookup.named(name).find((entry) => entry.server === server && isAmong(search, entry));
}

function ambiguous(spelling: string, found: readonly CatalogEntry[]): AppError {
  const candidates = found.map((entry) => entry.id);
  return new AppError(
    'tool_ambiguous',
    `${JSON.stringify(shortName(spelling))} is the name of ${found.length} tools.`,
    {
      fix: `Say which: ${candidates.join(', ')}.`,
      data: { candidates },
    },
  );
}

function notFound(key: 'tools' | 'prompts', spelling: string, near: readonly string[]): AppError {
  const what = key === 'tools' ? 'tool' : 'prompt';
  return new AppError('tool_not_found', `Unknown ${what}: ${JSON.stringify(shortName(spelling))} was not found.`, {
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
