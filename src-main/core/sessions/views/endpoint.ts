/** The endpoint that a client app addresses, and the view that serves it. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import { type AppConfig, uiSettingFor } from '../../config/app-config.ts';
import { isToolEnabled } from '../../config/tool-names.ts';
import { type ExtensionSet, extensionSetOf, supportsViews, viewExtension } from '../../servers/extension-set.ts';
import type { SessionServices } from '../session-settings.ts';
import type { SessionView } from '../session-view.ts';
import { findProfile, effectiveProfiles, profileNotFoundError } from '../../profiles/profile-scope.ts';
import { applyLayers, decodeSubject } from '../../config/layers/apply-layers.ts';
import { LayeredView } from './layered-view.ts';
import { MergedView } from './merged-view.ts';
import { ServerView } from './server-view.ts';

export interface Endpoint {
  readonly mode?: string | undefined;
  /** Restricts the endpoint to the servers and tools of this profile. */
  readonly profile?: string | undefined;
  /** Profiles that restrict the caller at any address. */
  readonly bounds?: readonly string[] | undefined;
  readonly server?: string | undefined;
  /** The client app, if the address or `--app` names it. */
  readonly app?: string | undefined;
  /** Client capabilities declared by its requests. */
  readonly capabilities?: JsonObject | undefined;
}

/**
 * `/mcp`, `/mcp/mode/<mode>`, `/mcp/server/<name>`, `/mcp/app/<client app>`, `/mcp/p/<profile>`;
 * undefined for any other path.
 */
export function parseEndpoint(pathname: string): Endpoint | undefined {
  const [root, kind, ...rest] = pathname.split('/').slice(1);
  if (root !== 'mcp') return undefined;
  if (kind === undefined || (kind === '' && rest.length === 0)) return {};
  const key = kind === 'p' ? 'profile' : kind;
  if (
    !(key === 'mode' || key === 'server' || key === 'app' || key === 'profile') ||
    rest.length !== 1 ||
    rest[0] === ''
  )
    return undefined;
  try {
    return { [key]: decodeURIComponent(rest[0] as string) };
  } catch {
    return undefined;
  }
}

/** Cache of parsed addresses: an app's requests all use the same few. */
export class KnownEndpoints {
  readonly #known = new Map<string, Endpoint>();

  /** Same as `endpointOf`, cached. */
  at(pathname: string): Endpoint | undefined {
    const known = this.#known.get(pathname);
    if (known !== undefined) return known;
    const endpoint = parseEndpoint(pathname);
    if (this.#known.size >= maxCachedEndpoints) this.#known.clear();
    if (endpoint !== undefined) this.#known.set(pathname, endpoint);
    return endpoint;
  }
}

const maxCachedEndpoints = 1000;

/** Throws AppError `mode_unknown`, `server_not_found`, or `not_found` for an unknown profile. */
export function viewFor(endpoint: Endpoint, whole: SessionServices): SessionView {
  return layered(endpoint, whole, (scopes, core, wasThere) =>
    viewIn([...profilesAt(endpoint, core), ...scopes], endpoint, core, wasThere),
  );
}

/** Applies the config's layers for the user of the endpoint. */
function layered(
  endpoint: Endpoint,
  whole: SessionServices,
  make: (scopes: readonly string[], core: SessionServices, isThere: boolean) => SessionView,
): SessionView {
  const [person] = (endpoint.bounds ?? []).flatMap((bound) => decodeSubject(bound) ?? []);
  if (person === undefined) return make([], coreOf(endpoint, whole, whole.config()), false);
  const core = coreOf(endpoint, whole, applyLayers(whole.config(), person).config);
  let isThere = false;
  return new LayeredView(person, core, (scopes, own) => {
    const view = make(scopes, own, isThere);
    isThere = true;
    return view;
  });
}

/** Returns the catalog available to the endpoint. Throws AppError `not_found` for an unknown profile. */
export function catalogAt(endpoint: Endpoint, whole: SessionServices): LiveCatalog {
  return servicesForProfiles(profilesAt(endpoint, whole), whole).catalog;
}

function profilesAt({ app, profile, bounds }: Endpoint, whole: SessionServices): readonly string[] {
  const config = whole.config();
  if (profile !== undefined && findProfile(config, profile) === undefined) throw profileNotFoundError(profile);
  const named = bounds?.filter((bound) => decodeSubject(bound) === undefined);
  return effectiveProfiles(config, app, profile, named);
}

/** The extension set of the app, as far as the user's settings allow. */
export function extensionsAt({ app, capabilities = {} }: Endpoint, config: AppConfig): ExtensionSet | undefined {
  return extensionSetOf(capabilities, uiSettingFor(config, app) === 'off' ? [viewExtension] : []);
}

/** Returns the services for apps that declare the same extensions. */
function coreOf(endpoint: Endpoint, whole: SessionServices, config: AppConfig): SessionServices {
  const kind = extensionsAt(endpoint, config);
  return kind === undefined ? whole : (whole.inKind?.(kind) ?? whole);
}

/** `wasThere`: the server existed before; requests then return an error instead. */
function viewIn(
  profiles: readonly string[],
  endpoint: Endpoint,
  whole: SessionServices,
  wasThere: boolean,
): SessionView {
  const core = servicesForProfiles(profiles, whole);
  if (endpoint.server === undefined) return new MergedView(endpoint, core);
  const { catalog, servers, steps, settleMs, flow } = core;
  const found = wasThere ? servers.find(endpoint.server) : servers.get(endpoint.server);
  const server = found?.config.name ?? endpoint.server;
  const isOn = (name: string, tool: string): boolean => isToolEnabled(core.config(), name, tool);
  const shows = core.kind !== undefined && supportsViews(core.kind);
  return new ServerView({
    server,
    servers,
    catalog,
    steps,
    isOn,
    settleMs,
    flow,
    hasTool: core.hasTool,
    tasks: core.serverTasks.of(server),
    showsViews: shows,
  });
}

/** The error for an unknown path, with the valid ones. */
export function unknownEndpointError(pathname: string): AppError {
  return new AppError('not_found', `${pathname} was not found.`, {
    fix: 'Use /mcp, /mcp/mode/<mode>, /mcp/server/<server>, /mcp/app/<client app> or /mcp/p/<profile>.',
  });
}

/** Returns the services restricted to these profiles. */
function servicesForProfiles(profiles: readonly string[], whole: SessionServices): SessionServices {
  return profiles.length === 0 ? whole : whole.inProfiles(profiles);
}
