/**
 * Resolves a tool name across all configured servers, whatever their status. The only place that explains why a name
 * cannot be called: its server, that server's status, and the fix. A name that includes a server never resolves to
 * another.
 */
import { textOrEmpty } from '../base/json.ts';
import { AppError } from '../base/errors.ts';
import { truncateName } from '../base/visible-text.ts';
import { closestMatch } from '../base/text-format.ts';
import type { LeaseHandle, ToolSelection } from '../config/server-config.ts';
import type { SearchIndex } from '../search/search-index.ts';
import {
  type UnavailabilityKind,
  unavailabilityOf,
  type ServerUnavailability,
} from '../servers/server-availability.ts';
import type { ServerState } from '../servers/server-state.ts';
import { type Catalog, type CatalogEntry, resolveEntry } from './catalog.ts';
import { unprefixUri, unwrapUri } from './resource-uris.ts';
import { maxRequestedNameLength, slug } from './listed-names.ts';
import type { ServerPins } from '../trust/pins/server-pins.ts';
import { matchesTemplate } from './resolve-resource.ts';

/** A configured server, enabled or not. */
export interface ConfiguredServer {
  readonly config: {
    readonly name: string;
    readonly enabled: boolean;
    readonly held?: LeaseHandle;
    readonly prefix?: string | undefined;
    readonly toolSwitch?: ToolSelection;
  };
  readonly state: ServerState;
  /** The last listing, possibly from an earlier core. */
  readonly listing: {
    readonly tools: readonly { readonly name?: unknown; readonly description?: unknown }[];
    readonly prompts?: readonly { readonly name?: unknown }[];
    readonly resources?: readonly { readonly uri?: unknown; readonly name?: unknown }[];
    readonly resourceTemplates?: readonly { readonly uriTemplate?: unknown }[];
  };
  /** ms since 1970; undefined: never. */
  readonly listedAt: number | undefined;
  /** Why its entry is invalid. */
  readonly flaw?: string;
  /** Its pinned definitions. */
  readonly pins?: Pick<ServerPins, 'heldChanges' | 'refusalOf' | 'pinOf'> | undefined;
}

interface FinderParts {
  readonly catalog: () => Catalog;
  readonly index: Pick<SearchIndex, 'suggest'>;
  /** In config order. */
  readonly servers: () => readonly ConfiguredServer[];
  /** Whether the user enabled a tool; `tool`: the server's own name. */
  readonly isOn: (server: string, tool: string) => boolean;
  /** The error for calls of this server while all servers are paused; undefined if they are not. */
  readonly pause?: (server: string) => AppError | undefined;
  /** A launch configuration that the user could apply for a server that does not start, as a sentence. */
  readonly knownFix?: ((server: string) => string | undefined) | undefined;
  /** Problems of the config file as a whole, as sentences; undefined if none. */
  readonly configProblem?: () => string | undefined;
  readonly now?: () => number;
}

/**
 * Why a name cannot be called. `no-server`: it names an unknown server. `no-tool`: the server has no
 * such tool. `tool-off`: the user disabled the tool. `tool-held`: the tool is new and not accepted yet.
 * `is-server`, `is-helper`: it names something else. The others are states of the named server.
 */
export type UnavailableReason =
  | UnavailabilityKind
  | 'unknown'
  | 'ambiguous'
  | 'no-server'
  | 'no-tool'
  | 'tool-off'
  | 'tool-held'
  | 'is-server'
  | 'is-helper';

export interface UnavailableTool {
  readonly missing: UnavailableReason;
  /** The server that the name refers to. */
  readonly server: string | undefined;
  /** The server's own name for the tool, if its last listing has it. */
  readonly tool: string | undefined;
  /** Similar names, the most similar first: ids of tools, helper tools, servers. */
  readonly nearest: readonly string[];
  /** Whether its server is starting, so that a caller may wait for a result. */
  readonly coming: boolean;
  /** The same in words, with a fix. */
  readonly error: AppError;
}

/** A server with an invalid entry, known only by name. */
export function invalidServer(name: string, flaw: string): ConfiguredServer {
  const state = { kind: 'disconnected' } as const;
  return { config: { name, enabled: true }, state, listing: { tools: [] }, listedAt: undefined, flaw };
}

/** The server that a name refers to, before the tool itself is looked up. */
interface Meaning {
  readonly server: ConfiguredServer;
  /** The tool's name without the server's; undefined if the name is only a server's. */
  readonly rest: string | undefined;
}

const maxNamed = 5;

export class ToolFinder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  /**
   * Resolves a spelling to a tool. Throws AppError if it cannot be called. `server`: given separately, in any
   * spelling.
   */
  find(spelling: string, server?: string): CatalogEntry {
    const found = this.tryFind(spelling, server);
    if ('missing' in found) throw found.error;
    return found;
  }

  /** The same without throwing, with the reason as data. */
  tryFind(spelling: string, server?: string): CatalogEntry | UnavailableTool {
    if (spelling.length > maxRequestedNameLength) return missing('unknown', tooLong(spelling), []);
    const catalog = this.#parts.catalog();
    try {
      // A disabled server is not in the catalog.
      const handle = server === undefined ? undefined : (this.server(server)?.config.name ?? server);
      const isThere = handle === undefined || catalog.servers.includes(handle);
      if (isThere) return resolveEntry(catalog, 'tools', spelling, { server: handle });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'tool_ambiguous') return missing('ambiguous', error, candidatesOf(error));
    }
    return this.#explain(spelling.trim(), server, catalog);
  }

  /** The configured server of this name, alias `cN`, slug, `default` or `primary`; enabled or not. */
  server(handle: string): ConfiguredServer | undefined {
    const plain = handle.trim();
    const lower = plain.toLowerCase();
    const { aliases } = this.#parts.catalog();
    const servers = this.#parts.servers();
    const named = (is: (name: string) => boolean): ConfiguredServer | undefined =>
      servers.find(({ config }) => is(config.name));
    const isMeant = (server: ConfiguredServer): boolean =>
      this.#slug(server) === lower || server.config.name.toLowerCase() === lower;
    return (
      named((name) => name === plain) ??
      named((name) => aliases.get(name) === plain) ??
      (/^(default|primary)$/.test(lower) ? (servers.find(({ config }) => config.enabled) ?? servers[0]) : undefined) ??
      servers.find(isMeant)
    );
  }

  /** Returns why a server cannot be called now; undefined if it can. Throws AppError `server_not_found`. */
  unavailability(handle: string): ServerUnavailability | undefined {
    const server = this.server(handle);
    if (server === undefined) throw this.serverNotFoundError(handle);
    return this.#absence(server);
  }

  /** The unlisted server that a prompt's name includes, or that listed the prompt before; undefined if unknown. */
  promptOwner(spelling: string): ConfiguredServer | undefined {
    const meant = this.#meaning(spelling.trim(), undefined)?.server;
    if (meant !== undefined) return isListed(meant) ? undefined : meant;
    return this.#absent().find(({ listing }) => listing.prompts?.some(({ name }) => name === spelling)) ?? this.#sole();
  }

  /** The same for a resource, by its address or its server's name for it. */
  resourceOwner(uri: string): ConfiguredServer | undefined {
    const wrapped = unwrapUri(uri)?.server;
    const meant = wrapped === undefined ? undefined : this.server(wrapped);
    if (meant !== undefined) return isListed(meant) ? undefined : meant;
    const has = (server: ConfiguredServer): boolean => {
      const { prefix } = server.config;
      const own = prefix === undefined ? undefined : unprefixUri(prefix, uri);
      const { resources = [], resourceTemplates = [] } = server.listing;
      return (
        own !== undefined ||
        resources.some((one) => one.uri === uri || one.name === uri) ||
        resourceTemplates.some(
          ({ uriTemplate }) => typeof uriTemplate === 'string' && matchesTemplate(uriTemplate, uri),
        )
      );
    };
    return this.#absent().find(has) ?? this.#sole();
  }

  /**
   * Servers whose tools are in no list, and why: `slow: starting, 12 s; a, b: switched off`. Undefined if there are
   * none. `except`: those that are reported elsewhere.
   */
  missingServers(only?: string, except: readonly string[] = []): string | undefined {
    const wanted = only === undefined ? undefined : this.server(only)?.config.name;
    const named = new Map<string, string[]>();
    for (const server of this.#parts.servers()) {
      const { name } = server.config;
      if ((only !== undefined && name !== wanted) || except.includes(name)) continue;
      if (isListed(server)) continue;
      const brief = this.#absence(server)?.brief ?? 'not started';
      named.set(brief, [...(named.get(brief) ?? []), name]);
    }
    if (named.size === 0) return undefined;
    return [...named].map(([brief, names]) => `${someOf(names)}: ${brief}`).join('; ');
  }

  /** Individually disabled tools of enabled servers. */
  disabledTools(): readonly { readonly server: string; readonly tool: string; readonly description: string }[] {
    const { isOn, servers } = this.#parts;
    return servers()
      .filter(({ config }) => config.enabled)
      .flatMap(({ config, listing }) =>
        listing.tools.flatMap(({ name: tool, description }) =>
          typeof tool !== 'string' || isOn(config.name, tool)
            ? []
            : [{ server: config.name, tool, description: textOrEmpty(description) }],
        ),
      );
  }

  /** Problems of the config file as a whole, as sentences; undefined if none. */
  get configProblem(): string | undefined {
    return this.#parts.configProblem?.();
  }

  #withProblem(fix: string): string {
    return [fix, this.configProblem].filter(Boolean).join(' ');
  }

  /** The error for an unknown server. */
  serverNotFoundError(handle: string): AppError {
    const names = this.#parts.servers().map(({ config }) => config.name);
    const meant = closestMatch(handle, names);
    const there = names.length === 0 ? 'No server is configured yet.' : `Servers: ${names.join(', ')}.`;
    const fix = this.#withProblem(there);
    return new AppError('server_not_found', `There is no server named ${quoted(handle)}.`, {
      fix: meant === undefined ? fix : `Did you mean ${meant}? ${fix}`,
      data: { available: names },
    });
  }

  #absence({ config: { name, held }, state, listedAt, flaw }: ConfiguredServer): ServerUnavailability | undefined {
    const { pause, knownFix, now = Date.now } = this.#parts;
    const facts = { name, state, listed: listedAt !== undefined, pause: pause?.(name), now: now() };
    return unavailabilityOf({ ...facts, held, flaw, knownFix: knownFix?.(name) });
  }

  #explain(spelling: string, handle: string | undefined, catalog: Catalog): UnavailableTool {
    const meant = this.#meaning(spelling, handle);
    if (meant !== undefined) return this.#ofServer(spelling, meant, catalog);
    if (handle !== undefined) return missing('no-server', this.serverNotFoundError(handle), []);
    const holder = this.#holder(spelling);
    if (holder !== undefined) return this.#ofServer(spelling, { server: holder, rest: spelling }, catalog);
    const only = this.#onlyOne();
    if (only !== undefined && only.listedAt === undefined) {
      return this.#ofServer(spelling, { server: only, rest: spelling }, catalog);
    }
    if (catalog.reserved.has(spelling)) return missing('is-helper', isHelper(spelling), [spelling]);
    const nearest = this.#nearest(spelling, catalog);
    const before = /^([^:\s]+):/.exec(spelling)?.[1];
    if (before === undefined) return missing('unknown', this.#unknown(spelling, nearest), nearest);
    const { fix } = this.serverNotFoundError(before);
    const error = notFound(spelling, `: there is no server ${quoted(before)}`, fix ?? '', []);
    return missing('no-server', error, []);
  }

  /** Explains a name that includes its server. */
  #ofServer(spelling: string, { server, rest }: Meaning, catalog: Catalog): UnavailableTool {
    const { name } = server.config;
    const own = server.listing.tools.flatMap((tool) => (typeof tool.name === 'string' ? [tool.name] : []));
    const tool = rest === undefined ? undefined : own.find((one) => one === rest);
    const absence = this.#absence(server);
    const of = { server: name, tool, coming: absence?.coming === true };
    // A listed tool is called whatever the server's state, because a call may start it.
    if (absence !== undefined && !isListed(server)) {
      const isGone = rest !== undefined && tool === undefined && own.length > 0;
      const nearest = isGone ? idsNear(name, rest, own) : [];
      return missing(absence.kind, isGone ? notListed(absence.error, rest, nearest) : absence.error, nearest, of);
    }
    const shown = catalog.lookup.tools.byServer(name);
    if (rest === undefined || rest === '') {
      const named = someOf(shown.map(({ id }) => id));
      const fix = shown.length === 0 ? 'It has no tools.' : `Its tools: ${named}.`;
      return missing('is-server', notFound(spelling, `: ${name} is a server`, fix, [name]), [name], of);
    }
    if (tool !== undefined && !this.#parts.isOn(name, tool)) {
      return missing('tool-off', toolDisabledError(`${name}:${tool}`), [], of);
    }
    const refusal = server.pins?.refusalOf('tool', rest);
    if (refusal !== undefined) return missing('tool-held', refusal, [], { ...of, tool: rest });
    const suggested = this.#parts.index.suggest(rest, name);
    const nearest =
      suggested.length > 0
        ? suggested
        : idsNear(
            name,
            rest,
            shown.map((one) => one.name),
          );
    const others = shown.length === 0 ? 'It currently has no tools.' : `It has ${someOf(shown.map(({ id }) => id))}.`;
    const fix = nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : others;
    return missing('no-tool', notFound(spelling, ` on ${name}`, fix, nearest), nearest, of);
  }

  /** The server that a name refers to: by the separate handle, by its prefix, or because it is a server's name. */
  #meaning(spelling: string, handle: string | undefined): Meaning | undefined {
    if (handle !== undefined) {
      const server = this.server(handle);
      return server && { server, rest: this.#prefixed(spelling, server) ?? spelling };
    }
    const same = this.server(spelling);
    if (same !== undefined && same.config.name.toLowerCase() === spelling.toLowerCase()) {
      return { server: same, rest: undefined };
    }
    const byPrefix = this.#parts
      .servers()
      .flatMap((server) => {
        const rest = this.#prefixed(spelling, server);
        return rest === undefined ? [] : [{ server, rest }];
      })
      .sort((a, b) => a.rest.length - b.rest.length)[0];
    if (byPrefix !== undefined) return byPrefix;
    const colon = spelling.indexOf(':');
    const server = colon <= 0 ? undefined : this.server(spelling.slice(0, colon));
    return server && { server, rest: spelling.slice(colon + 1).trim() };
  }

  /** The prefix of its tools' names, or the one it would have if enabled. */
  #slug({ config: { name, prefix } }: ConfiguredServer): string {
    return this.#parts.catalog().slugs.get(name) ?? prefix ?? slug(name);
  }

  /** The rest of a spelling that begins with the server's name. */
  #prefixed(spelling: string, server: ConfiguredServer): string | undefined {
    const prefix = [server.config.name, this.#slug(server)].find(
      (one) =>
        spelling.slice(0, one.length).toLowerCase() === one.toLowerCase() &&
        /^\s*(?:__?|[:./])/.test(spelling.slice(one.length)),
    );
    return prefix === undefined ? undefined : spelling.slice(prefix.length).replace(/^\s*(?:__?|[:./])\s*/, '');
  }

  /** An unlisted server, or one with the tool disabled, that is known to have a tool of this name. */
  #holder(spelling: string): ConfiguredServer | undefined {
    const holders = this.#parts
      .servers()
      .filter(
        ({ listing, pins }) =>
          listing.tools.some(({ name }) => name === spelling) || pins?.refusalOf('tool', spelling) !== undefined,
      );
    return holders.find(({ config }) => config.enabled) ?? holders[0];
  }

  /** The only server, whose tools are called by their bare names; undefined if there are several. */
  #onlyOne(): ConfiguredServer | undefined {
    const [first, ...others] = this.#parts.servers().filter(({ config, flaw }) => config.enabled && flaw === undefined);
    return others.length === 0 ? first : undefined;
  }

  #nearest(spelling: string, catalog: Catalog): readonly string[] {
    const tools = this.#parts.index.suggest(spelling);
    const others = [
      closestMatch(spelling, catalog.reserved),
      closestMatch(
        spelling,
        this.#parts.servers().map(({ config }) => config.name),
      ),
    ].filter((word) => word !== undefined);
    return [...new Set([...tools, ...others])];
  }

  /** Unlisted servers, enabled ones first. */
  #absent(): readonly ConfiguredServer[] {
    const absent = this.#parts.servers().filter((server) => !isListed(server));
    return [...absent.filter(({ config }) => config.enabled), ...absent.filter(({ config }) => !config.enabled)];
  }

  /** The only server, while it is unlisted. */
  #sole(): ConfiguredServer | undefined {
    const only = this.#onlyOne();
    return only === undefined || isListed(only) ? undefined : only;
  }

  /** No listed server has the name; servers that were never listed may have it. */
  #unknown(spelling: string, nearest: readonly string[]): AppError {
    const unlisted = this.missingServers();
    const near = nearest.length === 0 ? 'List the tools first.' : `Did you mean ${nearest.join(', ')}?`;
    const fix = unlisted === undefined ? near : `${near} Not listed: ${unlisted}.`;
    return notFound(spelling, '', this.#withProblem(fix), nearest);
  }
}

function isListed({ config, listedAt }: ConfiguredServer): boolean {
  return config.enabled && listedAt !== undefined;
}

/** The fix for a tool that the user disabled. */
export const disabledToolFix = 'Continue without it, or ask the user to enable it in Tooltray.';

export function toolDisabledError(id: string): AppError {
  return new AppError('not_allowed', `${id} was disabled by the user.`, {
    fix: disabledToolFix,
  });
}

function missing(
  reason: UnavailableReason,
  { code, message, fix, data, cause }: AppError,
  nearest: readonly string[],
  of: { readonly server?: string; readonly tool?: string | undefined; readonly coming?: boolean } = {},
): UnavailableTool {
  const error = new AppError(code, message, {
    ...(fix !== undefined && { fix }),
    ...(cause !== undefined && { cause }),
    data: { candidates: [...nearest], ...data, ...(of.server !== undefined && { server: of.server }) },
  });
  return { missing: reason, server: of.server, tool: of.tool, coming: of.coming === true, nearest, error };
}

function notFound(spelling: string, where: string, fix: string, candidates: readonly string[]): AppError {
  return new AppError('tool_not_found', `Unknown tool: ${quoted(spelling)} was not found${where}.`, {
    fix,
    data: { candidates: [...candidates] },
  });
}

function tooLong(spelling: string): AppError {
  const fix = `Names have at most ${maxRequestedNameLength} characters. List the tools first.`;
  return notFound(spelling, '', fix, []);
}

/** The server's state, and that waiting will not help, because its last listing had no such tool. */
function notListed({ code, message, fix, data }: AppError, tool: string, nearest: readonly string[]): AppError {
  const meant = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(', ')}?`;
  return new AppError(code, `${message} Its last tool list does not contain ${quoted(tool)}.${meant}`, {
    ...(fix !== undefined && { fix }),
    ...(data && { data }),
  });
}

function isHelper(name: string): AppError {
  const fix = `It is a helper tool of Tooltray: call ${name} directly.`;
  return notFound(name, ' on any server', fix, [name]);
}

function idsNear(server: string, tool: string, own: readonly string[]): string[] {
  const near = closestMatch(tool, own);
  return near === undefined ? [] : [`${server}:${near}`];
}

function candidatesOf({ data }: AppError): readonly string[] {
  return (data?.['candidates'] as readonly string[] | undefined) ?? [];
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).join(', ');
  return names.length <= maxNamed ? shown : `${shown} and ${names.length - maxNamed} more`;
}

function quoted(name: string): string {
  return JSON.stringify(truncateName(name));
}
