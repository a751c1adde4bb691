/** Every tool, resource, template and prompt of all servers under a unique name: an immutable snapshot. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import type { Listing } from '../servers/listing.ts';
import { isVisibleTo } from '../servers/ui-metadata.ts';
import { ListedNameAllocator, slugs } from './listed-names.ts';
import { listSkills, skillAsResource } from './skills.ts';
import { ResourceLookup } from './resource-lookup.ts';
import { type CatalogResource, listResources, listTemplates } from './resource-uris.ts';
import {
  firstByIdentifier,
  namesUsedByViews,
  viewCallableTools,
  type ViewTool,
  withListedViews,
} from './view-tools.ts';

export interface CatalogServer {
  readonly name: string;
  /** The name prefix of its tools, prompts and resources from its entry; applies even if it is the only server. */
  readonly prefix?: string | undefined;
  readonly listing: Listing;
  readonly instructions: string | undefined;
  /** Why its tools cannot be called now, in a few words; undefined if they can. */
  readonly down?: string | undefined;
}

export interface CatalogEntry {
  /** `server:name`, the canonical id. */
  readonly id: string;
  readonly server: string;
  /** The server's own name for it. */
  readonly name: string;
  /** The name shown to client apps. */
  readonly listedName: string;
  /** The server's definition unchanged, except that the description of an unavailable one says so first. */
  readonly definition: JsonObject;
  /** Why it cannot be called now, in a few words; absent if it can. */
  readonly down?: string;
}

interface ServerPrefix {
  readonly server: string;
  readonly prefix: string;
}

export interface Catalog {
  readonly servers: readonly string[];
  /** Names of our own tools, which tools of servers must not have. */
  readonly reserved: ReadonlySet<string>;
  /** Instructions by server, if the server has any. */
  readonly instructions: ReadonlyMap<string, string>;
  /** Short name `cN` of each server. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Prefix of each server. */
  readonly slugs: ReadonlyMap<string, string>;
  /** Prefixes that identify the server of a tool name, the longest first. */
  readonly prefixes: readonly ServerPrefix[];
  readonly tools: readonly CatalogEntry[];
  readonly prompts: readonly CatalogEntry[];
  readonly resources: readonly CatalogResource[];
  readonly resourceTemplates: readonly CatalogResource[];
  /** Skills of servers; empty for most. */
  readonly skills: readonly CatalogResource[];
  /** User interfaces that tools name; no list has to have them. */
  readonly views: readonly CatalogResource[];
  /**
   * Tools that user interfaces call, under the names that they know them by; none where the app shows no interfaces.
   */
  readonly viewTools: readonly ViewTool[];
  /** The same tools and prompts, by what they are called; resources, by what they are about. */
  readonly lookup: {
    readonly tools: EntryLookup;
    readonly prompts: EntryLookup;
    readonly resources: ResourceLookup;
    readonly skills: ResourceLookup;
  };
}

/**
 * Servers in the order of the config, entries in the order of their names: the same input always lists the same.
 * `aliases` are numbers in that order unless given. `showsViews`: the app shows user interfaces of tools.
 */
export function buildCatalog(
  servers: readonly CatalogServer[],
  reserved: ReadonlySet<string>,
  aliases: ReadonlyMap<string, string> = new Map(servers.map(({ name }, index) => [name, `c${index + 1}`])),
  showsViews = false,
): Catalog {
  const prefixes = slugs(servers);
  const { resources, views } = listResources(servers, showsViews);
  const single = servers.length === 1;
  const named = (key: 'tools' | 'prompts', taken: ReadonlySet<string>): CatalogEntry[] => {
    const names = new ListedNameAllocator(taken);
    return servers.flatMap((server) =>
      entries(server, key, single ? server.prefix : prefixes.get(server.name), prefixes, names, taken),
    );
  };
  const prompts = named('prompts', new Set());
  const viewTools = showsViews ? viewCallableTools(servers) : [];
  const listed = named('tools', reserved);
  const clashes = namesUsedByViews(listed, viewTools);
  const apart = clashes.length === 0 ? listed : named('tools', new Set([...reserved, ...clashes]));
  const tools = withListedViews(apart, views);
  const resourceTemplates = listTemplates(servers);
  const skills = listSkills(servers, resources);
  return {
    servers: servers.map((server) => server.name),
    reserved,
    instructions: new Map(
      servers.flatMap(({ name, instructions }) => (instructions === undefined ? [] : [[name, instructions]])),
    ),
    aliases,
    slugs: prefixes,
    prefixes: serverPrefixes(prefixes),
    tools,
    prompts,
    resources,
    resourceTemplates,
    skills,
    views,
    viewTools,
    lookup: {
      tools: new EntryLookup(tools),
      prompts: new EntryLookup(prompts),
      resources: new ResourceLookup(resources, resourceTemplates),
      skills: new ResourceLookup(skills.map(skillAsResource), []),
    },
  };
}

/** The catalog with some of its tools only. */
export function withTools(catalog: Catalog, tools: readonly CatalogEntry[]): Catalog {
  return { ...catalog, tools, lookup: { ...catalog.lookup, tools: new EntryLookup(tools) } };
}

function entries(
  server: CatalogServer,
  key: 'tools' | 'prompts',
  prefix: string | undefined,
  prefixes: ReadonlyMap<string, string>,
  names: ListedNameAllocator,
  reserved: ReadonlySet<string>,
): CatalogEntry[] {
  const own = new Set(server.listing[key].map((definition) => definition['name']));
  return [...firstByIdentifier(server.listing[key], 'name')]
    .filter(([, definition]) => key === 'prompts' || isVisibleTo('model', definition))
    .sort(([a], [b]) => compare(a, b))
    .map(([name, definition]) => {
      const id = `${server.name}:${name}`;
      // A tool named like one of our helpers is distinguished by its server even if there is only one.
      const needed = prefix ?? (reserved.has(name) ? prefixes.get(server.name) : undefined);
      const wanted = needed !== undefined && !reserved.has(name) && saysPrefix(name, needed, own) ? undefined : needed;
      const entry = { id, server: server.name, name, listedName: names.allocate(wanted, name, id), definition };
      return server.down === undefined ? entry : { ...entry, ...marked(definition, server.down) };
    });
}

/** Marks the definition, so that models do not call a stopped server in vain. */
function marked(definition: JsonObject, down: string): Pick<CatalogEntry, 'definition' | 'down'> {
  const { description } = definition;
  const text = typeof description === 'string' && description !== '' ? ` ${description}` : '';
  return { down, definition: { ...definition, description: `[${down}]${text}` } };
}

/**
 * Whether a name already includes its server: `git_log` of git is not listed as `git_git_log`, though it can be called
 * so. Not if the same server has another tool that would be listed under that name.
 */
function saysPrefix(name: string, prefix: string, own: ReadonlySet<unknown>): boolean {
  if (!name.toLowerCase().startsWith(`${prefix.toLowerCase()}_`) || name.length === prefix.length + 1) return false;
  return !own.has(name.slice(prefix.length + 1));
}

function serverPrefixes(slugs: ReadonlyMap<string, string>): readonly ServerPrefix[] {
  return [...slugs]
    .flatMap(([server, slug]) => [...new Set([server, slug])].map((prefix) => ({ server, prefix })))
    .sort((a, b) => b.prefix.length - a.prefix.length);
}

/** An input schema that client apps accept; what is no schema at all stands for "any object". */
export function usableSchema(definition: JsonObject): JsonObject {
  const schema = definition['inputSchema'];
  if (!isObject(schema)) return { type: 'object' };
  return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Finds entries by what they are called, at the same cost among ten thousand as among ten: each table is made at its
// first question.

type Groups = ReadonlyMap<string, readonly CatalogEntry[]>;

const none: readonly CatalogEntry[] = [];

export class EntryLookup {
  readonly #entries: readonly CatalogEntry[];
  #byListedName: ReadonlyMap<string, CatalogEntry> | undefined;
  #byId: Groups | undefined;
  #byName: Groups | undefined;
  #byServer: Groups | undefined;

  constructor(entries: readonly CatalogEntry[]) {
    this.#entries = entries;
  }

  byListedName(name: string): CatalogEntry | undefined {
    this.#byListedName ??= new Map(this.#entries.map((entry) => [entry.listedName, entry]));
    return this.#byListedName.get(name);
  }

  /** More than one where a server's name and a tool's have colons. */
  byId(id: string): readonly CatalogEntry[] {
    this.#byId ??= Map.groupBy(this.#entries, (entry) => entry.id);
    return this.#byId.get(id) ?? none;
  }

  /** The tools with this server-side name, in catalog order. */
  byName(name: string): readonly CatalogEntry[] {
    this.#byName ??= Map.groupBy(this.#entries, (entry) => entry.name);
    return this.#byName.get(name) ?? none;
  }

  /** The tools of one server, in catalog order. */
  byServer(server: string): readonly CatalogEntry[] {
    this.#byServer ??= Map.groupBy(this.#entries, (entry) => entry.server);
    return this.#byServer.get(server) ?? none;
  }
}

// Finds the tool or prompt that a name means, in every spelling the four systems use: the listed name, `server:tool`,
// `c2:tool`, `server_tool`, `server__tool`, and the bare name where it is unique; `server.tool` and `server/tool`,
// which models write.

export interface ResolveOptions {
  /** The server named next to the tool, by name, alias `cN`, slug, `default` or `primary`. */
  readonly server?: string | undefined;
  /** Nearest names for "did you mean". */
  readonly suggest?: (name: string) => readonly string[];
}

/** Throws AppError `tool_not_found` or tool_ambiguous (`data.candidates`), server_not_found for an unknown server. */
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
  const bare = search.lookup.byName(spelling).filter((entry) => isAmong(search, entry));
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
  throw new AppError('server_not_found', `There is no server named ${JSON.stringify(truncateName(handle))}.`, {
    fix: servers.length === 0 ? 'No server is configured yet.' : `Servers: ${servers.join(', ')}.`,
    data: { available: [...servers] },
  });
}

/** The same; undefined if that names no server, or not clearly. */
export function findServer(catalog: Catalog, handle: string): string | undefined {
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
  const entry = search.lookup.byListedName(spelling);
  return entry !== undefined && isAmong(search, entry) ? entry : undefined;
}

function byId(search: Search, spelling: string): CatalogEntry | undefined {
  const exact = search.lookup.byId(spelling).find((entry) => isAmong(search, entry));
  if (exact !== undefined) return exact;
  const colon = spelling.indexOf(':');
  if (colon <= 0) return undefined;
  const server = findServer(search.catalog, spelling.slice(0, colon));
  return ofServer(search, server, spelling.slice(colon + 1));
}

function byPrefix(search: Search, spelling: string): CatalogEntry | undefined {
  return entriesByPrefix(search.catalog, search.lookup, spelling).find((entry) => isAmong(search, entry));
}

/**
 * `server_tool` and `server__tool`: the longest server name that fits comes first, so that `git_hub_x` is never
 * `git`'s.
 */
export function entriesByPrefix(
  { prefixes }: Pick<Catalog, 'prefixes'>,
  lookup: EntryLookup,
  spelling: string,
): readonly CatalogEntry[] {
  return prefixes
    .filter(({ prefix }) => spelling[prefix.length] === '_' && spelling.startsWith(prefix))
    .flatMap(({ server, prefix }) => {
      const rest = spelling.slice(prefix.length + 1);
      const names = rest.startsWith('_') ? [rest, rest.slice(1)] : [rest];
      return names.flatMap((name) => lookup.byName(name).filter((entry) => entry.server === server));
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
  return search.lookup.byName(name).find((entry) => entry.server === server && isAmong(search, entry));
}

function ambiguous(spelling: string, found: readonly CatalogEntry[]): AppError {
  const candidates = found.map((entry) => entry.id);
  return new AppError('tool_ambiguous', `${JSON.stringify(truncateName(spelling))} matches ${found.length} tools.`, {
    fix: `Use one of: ${candidates.join(', ')}.`,
    data: { candidates },
  });
}

function notFound(key: 'tools' | 'prompts', spelling: string, near: readonly string[]): AppError {
  const what = key === 'tools' ? 'tool' : 'prompt';
  return new AppError('tool_not_found', `Unknown ${what}: ${JSON.stringify(truncateName(spelling))} was not found.`, {
    fix: near.length === 0 ? `List the ${what}s first.` : `Did you mean ${near.join(', ')}?`,
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
