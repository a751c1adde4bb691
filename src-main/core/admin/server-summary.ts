/** Describes servers to models and users, with secrets masked. */
import { isObject, type JsonObject } from '../base/json.ts';
import { maskPlaceholder, maskObject, maskText } from '../base/mask.ts';
import type { LeaseHandle, OAuthClient, ServerConfig } from '../config/server-config.ts';
import type { Handshake } from '../servers/handshake.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { ServerHealth } from '../servers/server-state.ts';

export interface ServerSummary {
  readonly name: string;
  /** `c1`, `c2` … in config order. */
  readonly alias: string;
  readonly enabled: boolean;
  /** Why it is not running although it is enabled. */
  readonly held: LeaseHandle | undefined;
  readonly state: ManagedServer['state']['kind'];
  readonly health: ServerHealth;
  readonly transport: ServerConfig['kind'];
  /** Command line or address, masked. */
  readonly endpoint: string;
  /** The parsed entry, masked. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly tools: number;
  readonly handshake: Handshake | undefined;
  /** ms since 1970. */
  readonly listedAt: number | undefined;
  /** Why it is unavailable; while it is retried, the last failure. */
  readonly error: string | undefined;
  /** Number of consecutive failures. */
  readonly failures: number;
}

/**
 * `config`: the current config, which may differ from that of the running server if the difference requires no
 * restart.
 */
export function summarizeServer(server: ManagedServer, index: number, config: ServerConfig): ServerSummary {
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
    config: forModels(maskObject(shownConfig(config)) as Record<string, unknown>),
    tools: server.listing.tools.length,
    handshake: server.handshake,
    listedAt: server.listedAt,
    error: 'error' in state ? state.error?.text : undefined,
    failures: 'failures' in state ? state.failures : 0,
  };
}

function endpointOf(config: ServerConfig): string {
  if (config.kind === 'stdio') return maskText([config.command, ...shownArguments(config.args)].join(' '));
  return config.kind === 'builtin' ? `built in: ${config.builtin}` : shownAddress(maskText(config.url));
}

function shownConfig(config: ServerConfig): Record<string, unknown> {
  const { kind, enabled, lazy, description, prefix, isolation } = config;
  const common = {
    transport: kind,
    enabled,
    lazy,
    ...(description !== undefined && { description }),
    ...(prefix !== undefined && { prefix }),
    ...(isolation !== undefined && { isolation }),
  };
  if (config.kind === 'builtin') return { ...common, builtin: config.builtin, folders: config.folders };
  if (config.kind === 'stdio') {
    const { command, args, env, inheritEnv, cwd } = config;
    const more = { ...(inheritEnv !== undefined && { inheritEnv }), ...(cwd !== undefined && { cwd }) };
    return { ...common, command, args, env, ...more };
  }
  const { url, headers, oauth } = config;
  return { ...common, url, headers, ...(oauth !== undefined && { oauth: writtenClient(oauth) }) };
}

/** Returns the client in MCPProxy's spelling, so that users can paste back what they see. */
function writtenClient(client: OAuthClient): JsonObject {
  const { clientId, clientSecret, redirectUri, scopes, extraParams } = client;
  const { issuer, authServerMetadataUrl, clientMetadataUrl, account } = client;
  return {
    ...(clientId !== undefined && { client_id: clientId }),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    ...(scopes.length > 0 && { scopes }),
    ...(Object.keys(extraParams).length > 0 && { extra_params: extraParams }),
    ...(issuer !== undefined && { issuer }),
    ...(authServerMetadataUrl !== undefined && { auth_server_metadata_url: authServerMetadataUrl }),
    ...(clientMetadataUrl !== undefined && { client_metadata_url: clientMetadataUrl }),
    ...(account !== undefined && { account }),
  };
}

/** Masks more for models: secrets in headers of any name, in paths of addresses, and in plain arguments. */
function forModels({ args, url, headers, isolation, ...others }: Record<string, unknown>): Record<string, unknown> {
  const extraArgs = isObject(isolation) ? isolation['extra_args'] : undefined;
  return {
    ...others,
    ...(isObject(isolation) && {
      isolation: {
        ...isolation,
        ...(Array.isArray(extraArgs) && { extra_args: shownArguments(extraArgs.map(String)) }),
      },
    }),
    ...(Array.isArray(args) && { args: shownArguments(args.map(String)) }),
    ...(typeof url === 'string' && { url: shownAddress(url) }),
    ...(isObject(headers) && {
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, maskPlaceholder])),
    }),
  };
}

/** Shows flags, the program or package, paths, numbers, sizes and words; anything else may be a secret. */
function shownArguments(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg) => !arg.startsWith('-'));
  return args.map((arg, index) => {
    const [flag = '', ...value] = arg.startsWith('-') ? arg.split('=') : [];
    if (flag !== '') return value.length === 0 || isPlain(value.join('=')) ? arg : `${flag}=${maskPlaceholder}`;
    const isProgram = index === first && /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~-]+)?$/.test(arg) && !looksRandom(arg);
    return isProgram || isPlain(arg) ? arg : maskPlaceholder;
  });
}

function isPlain(value: string): boolean {
  if (/^-?\d{1,10}(?:\.\d+)?[a-zA-Z]{0,2}$/.test(value)) return true;
  const isPath = /^(?:~|\.{1,2})?[\\/]|^[A-Za-z]:[\\/]/.test(value);
  return !looksRandom(value) && (isPath || /^[A-Za-z][A-Za-z/._:@-]*$/.test(value));
}

/** Whether a run of letters and digits, or only letters, is not a word. */
function looksRandom(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((run) => run.length > 20 || (run.length > 11 && /\d/.test(run)));
}

function shownAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return maskPlaceholder;
  const path = parsed.pathname.replace(/[^/]+/g, (step) =>
    /^(?:[a-z]{1,12}|v\d{1,2})$/i.test(step) ? step : maskPlaceholder,
  );
  const query = [...parsed.searchParams.keys()].map((name) => `${name}=${maskPlaceholder}`).join('&');
  return `${parsed.origin}${path}${query === '' ? '' : `?${query}`}`;
}
