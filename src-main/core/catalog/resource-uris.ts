/** Listed addresses of resources: those of their servers, made unique if several servers use the same. */
import type { JsonObject } from '../base/json.ts';
import type { Listing } from '../servers/listing.ts';
import { isViewUri, viewUriOf } from '../servers/ui-metadata.ts';
import { firstByIdentifier } from './view-tools.ts';

export interface CatalogResource {
  readonly server: string;
  /** The server's URI, or a template's `uriTemplate`. */
  readonly uri: string;
  /** The URI shown to client apps: unchanged unless several servers share it or it looks like one of Tooltray. */
  readonly listedUri: string;
  /** The prefix that is part of it. */
  readonly prefix?: string | undefined;
  readonly definition: JsonObject;
}

export interface ResourceServer {
  readonly name: string;
  readonly prefix?: string | undefined;
  readonly listing: Pick<Listing, 'tools' | 'resources' | 'resourceTemplates' | 'skills'>;
}

interface Wish {
  readonly server: ResourceServer;
  readonly uri: string;
  readonly definition: JsonObject;
  /** The address it has if no other server uses it. */
  readonly wanted: string;
}

function wishesOf(
  servers: readonly ResourceServer[],
  key: 'resources' | 'resourceTemplates' | 'skills',
  identifier: string,
): Wish[] {
  return servers.flatMap((server) =>
    [...firstByIdentifier(server.listing[key] ?? [], identifier)].map(([uri, definition]) =>
      wishOf(server, uri, definition),
    ),
  );
}

function wishOf(server: ResourceServer, uri: string, definition: JsonObject): Wish {
  return { server, uri, definition, wanted: server.prefix === undefined ? uri : prefixUri(server.prefix, uri) };
}

/** Lists templates like resources. */
export function listTemplates(servers: readonly ResourceServer[]): CatalogResource[] {
  return addressed(wishesOf(servers, 'resourceTemplates', 'uriTemplate'), wrapUri);
}

/** Lists skills like resources; each is addressed by its SKILL.md. */
export function listSkillUris(servers: readonly ResourceServer[]): CatalogResource[] {
  return addressed(wishesOf(servers, 'skills', 'uri'), wrapUri);
}

/**
 * Lists resources and, for an app that shows them, the user interfaces that tools name (`views`), which lists need not
 * contain; all get unique addresses.
 */
export function listResources(
  servers: readonly ResourceServer[],
  showsViews: boolean,
): { readonly resources: readonly CatalogResource[]; readonly views: readonly CatalogResource[] } {
  const listed = wishesOf(servers, 'resources', 'uri');
  if (!showsViews) return { resources: addressed(listed, wrapUri), views: [] };
  const named = servers.flatMap((server) => {
    const uris = new Set(server.listing.tools.flatMap((tool) => viewUriOf(tool) ?? []));
    for (const { uri } of server.listing.resources) uris.delete(String(uri));
    return [...uris].map((uri) => wishOf(server, uri, { uri, name: uri }));
  });
  const all = addressed([...listed, ...named], wrapForApps);
  const ofTools = new Map(servers.map(({ name, listing }) => [name, new Set(listing.tools.map(viewUriOf))]));
  return {
    resources: all.slice(0, listed.length),
    views: all.filter(({ server, uri }) => ofTools.get(server)?.has(uri) === true),
  };
}

function addressed(wishes: readonly Wish[], wrap: (server: string, uri: string) => string): CatalogResource[] {
  const times = new Map<string, number>();
  for (const { wanted } of wishes) times.set(wanted, (times.get(wanted) ?? 0) + 1);
  return wishes.map(({ server, uri, definition, wanted }) => {
    // If several servers use the address, none keeps it; otherwise the first would be read in place of another.
    const isPlain = times.get(wanted) === 1 && !isTooltrayUri(wanted);
    const listedUri = isPlain ? wanted : wrap(server.name, uri);
    return {
      server: server.name,
      uri,
      listedUri,
      ...(server.prefix !== undefined && { prefix: server.prefix }),
      definition,
    };
  });
}

/** `data://cfg` becomes `data://prefix/cfg`, as in Magg; other forms stay unchanged. */
function prefixUri(prefix: string, uri: string): string {
  return uri.replace(/^([A-Za-z][\w+.-]*:\/\/)/, `$1${prefix}/`);
}

/** The URI without its prefix; undefined if it has none. */
export function unprefixUri(prefix: string, uri: string): string | undefined {
  const [, scheme, rest] = /^([A-Za-z][\w+.-]*:\/\/)(.*)$/s.exec(uri) ?? [];
  return scheme !== undefined && rest?.startsWith(`${prefix}/`) === true
    ? `${scheme}${rest.slice(prefix.length + 1)}`
    : undefined;
}

/** A URI that includes its server; `{}` of templates stay readable for template engines. */
export function wrapUri(server: string, uri: string): string {
  return `tooltray://${encodeURIComponent(server)}/${uri}`;
}

/** The same for apps that show user interfaces, which accept only `ui://` addresses. */
function wrapForApps(server: string, uri: string): string {
  if (!isViewUri(uri)) return wrapUri(server, uri);
  return `ui://tooltray/${encodeURIComponent(server)}/${uri.slice('ui://'.length)}`;
}

/** Whether only Tooltray creates such addresses. */
export function isTooltrayUri(uri: string): boolean {
  return /^(?:tooltray:|ui:\/\/tooltray\/)/i.test(uri);
}

/** The server and URI inside a wrapped one. */
export function unwrapUri(uri: string): { server: string; uri: string } | undefined {
  const view = /^ui:\/\/tooltray\/([^/]+)\/(.+)$/s.exec(uri);
  const match = view ?? /^tooltray:\/\/([^/]+)\/(.+)$/s.exec(uri);
  if (match === null) return undefined;
  try {
    const own = match[2] as string;
    return { server: decodeURIComponent(match[1] as string), uri: view === null ? own : `ui://${own}` };
  } catch {
    return undefined;
  }
}
