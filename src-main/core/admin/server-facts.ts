/** What there is to say of each server to a model or a person, its secrets masked. */
import { maskObject } from '../base/mask-secrets.ts';
import { maskText } from '../base/mask-text.ts';
import type { JsonObject } from '../base/json.ts';
import type { OAuthClient, ServerConfig } from '../config/app-config.ts';
import type { Hold } from '../config/holds.ts';
import type { Handshake } from '../servers/handshake.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { ServerHealth } from '../servers/server-health.ts';

export interface ServerFacts {
  readonly name: string;
  /** `c1`, `c2` … in the order of the config. */
  readonly alias: string;
  readonly enabled: boolean;
  /** Why it is off though its switch says on. */
  readonly held: Hold | undefined;
  readonly state: ManagedServer['state']['kind'];
  readonly health: ServerHealth;
  readonly transport: ServerConfig['kind'];
  /** Command line or address, masked. */
  readonly endpoint: string;
  /** The entry as the core understands it, masked. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly tools: number;
  readonly handshake: Handshake | undefined;
  /** ms since 1970. */
  readonly listedAt: number | undefined;
  /** Why it is not there, if it is not. */
  readonly error: string | undefined;
  /** Tries in a row that came to nothing. */
  readonly failures: number;
}

/** `config` is what is configured now: a running server keeps the one it was started with where the difference is no reason to restart. */
export function serverFacts(server: ManagedServer, index: number, config: ServerConfig): ServerFacts {
  const { state } = server;
  return {
    name: config.name,
    alias: `c${index + 1}`,
    enabled: config.enabled,
    held: config.held,
    state: state.kind,
    health: server.health,
    transport: config.kind,
    endpoint: endpointOf(config),
    config: maskObject(shownConfig(config)) as Record<string, unknown>,
    tools: server.listing.tools.length,
    handshake: server.handshake,
    listedAt: server.listedAt,
    error: state.kind === 'error' || state.kind === 'pending-sign-in' ? state.error.text : undefined,
    failures: 'failures' in state ? state.failures : 0,
  };
}

function endpointOf(config: ServerConfig): string {
  if (config.kind === 'stdio') return maskText([config.command, ...config.args].join(' '));
  return config.kind === 'builtin' ? `built in: ${config.builtin}` : maskText(config.url);
}

function shownConfig(config: ServerConfig): Record<string, unknown> {
  const { kind, enabled, lazy, description, prefix } = config;
  const common = {
    transport: kind,
    enabled,
    lazy,
    ...(description !== undefined && { description }),
    ...(prefix !== undefined && { prefix }),
  };
  if (config.kind === 'builtin') return { ...common, builtin: config.builtin, folders: config.folders };
  if (config.kind === 'stdio') {
    const { command, args, env, cwd } = config;
    return { ...common, command, args, env, ...(cwd !== undefined && { cwd }) };
  }
  const { url, headers, oauth } = config;
  return { ...common, url, headers, ...(oauth !== undefined && { oauth: writtenClient(oauth) }) };
}

/** As MCPProxy's users write it, so that what they are shown can be given back. */
function writtenClient({ clientId, clientSecret, redirectUri, scopes, extraParams }: OAuthClient): JsonObject {
  return {
    ...(clientId !== undefined && { client_id: clientId }),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    ...(scopes.length > 0 && { scopes }),
    ...(Object.keys(extraParams).length > 0 && { extra_params: extraParams }),
  };
}
