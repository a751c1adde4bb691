/**
 * Client for the configured MCP registries: lists servers by page and looks up one. Responses are cached for one
 * minute.
 */
import { AppError } from '../base/errors.ts';
import { objectOrEmpty } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import type { RegistryConfig } from '../config/app-config.ts';
import type { HttpFetch } from '../servers/network/http-fetch.ts';
import { fetchRegistry, registryError, type RegistryLimits } from './registry-client.ts';
import { isOutdated, parseRegistryServer, type RegistryServer } from './registry-server.ts';
import { serverItems, readRegistryFile, registryFilePath } from './registry-file.ts';

/** Source: the registry's API documentation. */
export const officialRegistry: RegistryConfig = {
  name: 'official',
  url: 'https://registry.modelcontextprotocol.io',
};

export interface RegistryQuery {
  /** Name of the registry in the config; absent for the first. */
  readonly registry?: string | undefined;
  /** Substring of the server's name; empty lists all servers. */
  readonly query: string;
  /** From 1 to 100. */
  readonly limit: number;
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface RegistryPage {
  readonly registry: string;
  readonly servers: readonly RegistryServer[];
  /** Number of items skipped because they are not valid server entries. */
  readonly unreadable: number;
  /** Cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** A server, and the registry that listed it. */
export interface RegistryLookup {
  readonly registry: string;
  readonly server: RegistryServer;
}

interface RegistriesDeps {
  readonly http: HttpFetch;
  /** Returns the config's registries. */
  readonly registries: () => readonly RegistryConfig[];
  /** ms since 1970. */
  readonly now: () => number;
  readonly limits?: RegistryLimits;
}

const cacheTtlMs = 60_000;
const maxCacheEntries = 50;

export class Registries {
  readonly #parts: RegistriesDeps;
  /** Responses by registry and path. */
  readonly #cache = new Map<string, { readonly at: number; readonly value: unknown }>();

  constructor(parts: RegistriesDeps) {
    this.#parts = parts;
  }

  /** Returns all registries: the official one first (as redefined in the config, if so), then the others. */
  list(): readonly RegistryConfig[] {
    const own = this.#parts.registries();
    return [
      own.find(({ name }) => name === officialRegistry.name) ?? officialRegistry,
      ...own.filter(({ name }) => name !== officialRegistry.name),
    ];
  }

  /**
   * Rejects with AppError `registry_failed` if the registry is unreachable, or `not_found` if no registry has that
   * name.
   */
  async search({ registry, query, limit, cursor }: RegistryQuery, signal: AbortSignal): Promise<RegistryPage> {
    const place = this.#find(registry);
    const file = registryFilePath(place);
    const text = query.trim();
    if (file !== undefined)
      return pageOfFile(place, await readRegistryFile(place, file), { substring: text, limit, cursor });
    const searchParams = new URLSearchParams({
      ...(text !== '' && { search: text }),
      version: 'latest',
      limit: String(limit),
    });
    if (cursor !== undefined) searchParams.set('cursor', cursor);
    const answer = await this.#ask(place, `/v0.1/servers?${searchParams.toString()}`, signal);
    const items = serverItems(answer);
    if (answer === undefined)
      throw registryError(place, 'it returned HTTP 404 and does not seem to be a version 0.1 registry');
    if (items === undefined) throw registryError(place, 'its response is not a list of servers');
    const next = objectOrEmpty(objectOrEmpty(answer)['metadata'])['nextCursor'];
    return toPage(place, items.slice(0, limit), typeof next === 'string' && next !== '' ? next : undefined);
  }

  /**
   * Looks up one version of a server; the latest by default. Rejects with AppError `registry_failed` or `not_found`.
   */
  async find(
    registry: string | undefined,
    name: string,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<RegistryLookup> {
    const place = this.#find(registry);
    const file = registryFilePath(place);
    const item =
      file === undefined
        ? await this.#ask(
            place,
            `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version ?? 'latest')}`,
            signal,
          )
        : (await readRegistryFile(place, file)).find((one) => matchesVersion(one, name, version));
    if (item === undefined) throw serverNotFound(place, name, version);
    const server = parseRegistryServer(item);
    if (server === undefined) throw registryError(place, 'its response is not a server');
    if (server.name !== name) throw registryError(place, `it returned another server, ${truncateName(server.name)}`);
    return { registry: place.name, server };
  }

  #find(name: string | undefined): RegistryConfig {
    const places = this.list();
    const place = name === undefined ? places[0] : places.find((one) => one.name === name);
    if (place !== undefined) return place;
    throw new AppError('not_found', `No registry named ${JSON.stringify(truncateName(name ?? ''))}.`, {
      fix: `There are: ${places.map((one) => one.name).join(', ')}. Add others to "registries" in the config.`,
    });
  }

  async #ask(place: RegistryConfig, path: string, signal: AbortSignal): Promise<unknown> {
    const { http, now, limits } = this.#parts;
    const key = `${place.url} ${path}`;
    const known = this.#cache.get(key);
    if (known !== undefined && now() - known.at < cacheTtlMs) return known.value;
    this.#cache.delete(key);
    const value = await fetchRegistry(place, path, http, signal, limits);
    this.#cache.set(key, { at: now(), value });
    for (const oldest of [...this.#cache.keys()].slice(0, -maxCacheEntries)) this.#cache.delete(oldest);
    return value;
  }
}

function pageOfFile(
  place: RegistryConfig,
  items: readonly unknown[],
  {
    substring,
    limit,
    cursor,
  }: { readonly substring: string; readonly limit: number; readonly cursor: string | undefined },
): RegistryPage {
  const words = substring
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = items.filter((item) => {
    const server = parseRegistryServer(item);
    if (server === undefined) return words.length === 0;
    const text = `${server.name} ${server.title} ${server.description}`.toLowerCase();
    return !isOutdated(item) && words.every((word) => text.includes(word));
  });
  const from = /^\d{1,9}$/.test(cursor ?? '') ? Number(cursor) : 0;
  const next = from + limit;
  return toPage(place, found.slice(from, next), next < found.length ? String(next) : undefined);
}

function toPage({ name }: RegistryConfig, items: readonly unknown[], next: string | undefined): RegistryPage {
  const servers = items.flatMap((item) => parseRegistryServer(item) ?? []);
  return {
    registry: name,
    servers,
    unreadable: items.length - servers.length,
    ...(next !== undefined && { next }),
  };
}

function matchesVersion(item: unknown, name: string, version: string | undefined): boolean {
  const server = parseRegistryServer(item);
  if (server?.name !== name) return false;
  return version === undefined || version === 'latest' ? !isOutdated(item) : server.version === version;
}

function serverNotFound({ name: registry }: RegistryConfig, name: string, version: string | undefined): AppError {
  const which = version === undefined ? '' : ` in version ${JSON.stringify(truncateName(version))}`;
  return new AppError(
    'not_found',
    `The registry "${registry}" has no server ${JSON.stringify(truncateName(name))}${which}.`,
    {
      fix: `Search for it: tooltray registry search ${JSON.stringify(truncateName(name.split('/').at(-1) ?? ''))}.`,
    },
  );
}
