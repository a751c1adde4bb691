/** Maps upstream_servers' server fields to our names; null removes a field. */
import { isDeepStrictEqual } from 'node:util';
import type { ModelAdmin } from '../../core/admin/server-admin.ts';
import type { ServerSummary } from '../../core/admin/server-summary.ts';
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject, parseJson, toPlainNumber } from '../../core/base/json.ts';
import { maskPlaceholder } from '../../core/base/mask.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import type { LeaseHandle } from '../../core/config/server-config.ts';
import type { HealthLevel, ServerHealth } from '../../core/servers/server-state.ts';
import { readTrimmedText } from './results.ts';

interface ServerFields {
  /** The given fields, by our names (config/schema.ts). */
  readonly fields: JsonObject;
  /** Requested options without effect in Tooltray, as sentences. */
  readonly warnings: readonly string[];
}

type Reader = (value: unknown, key: string) => unknown;

/** Parameters in both spellings, our field, and its parser. */
const parameters: readonly (readonly [keys: readonly string[], field: string, read: Reader])[] = [
  [['command'], 'command', readString],
  [['args_json', 'args'], 'args', readList],
  [['env_json', 'env'], 'env', readTexts],
  [['url'], 'url', readString],
  [['protocol'], 'type', readProtocol],
  [['enabled'], 'enabled', readSwitch],
  [['headers_json', 'headers'], 'headers', readTexts],
  [['working_dir', 'cwd'], 'cwd', readString],
  [['description'], 'description', readString],
  [['init_timeout'], 'initTimeoutSeconds', readSeconds],
  [['isolation_json', 'isolation'], 'isolation', readMap],
  [['oauth_json', 'oauth'], 'oauth', readMap],
];

/** Throws AppError `bad_request`. */
export function readServerFields(input: JsonObject): ServerFields {
  const mentioned = parameters.flatMap(([keys, field, read]) => {
    const key = keys.find((one) => input[one] !== undefined);
    if (key === undefined) return [];
    const clears = field !== 'enabled' && isCleared(input[key]);
    return [[field, clears ? null : read(input[key], key)] as const];
  });
  if (input['quarantined'] !== undefined) readSwitch(input['quarantined'], 'quarantined');
  const fields = Object.fromEntries(mentioned);
  const useless = ['trust_mode', 'quarantined', 'expose_prompts'].filter(
    (key) => input[key] !== undefined && !(key === 'quarantined' && input[key] === true),
  );
  return {
    fields,
    warnings: useless.map((key) => `${key} cannot be set by a tool call; the user decides about trust.`),
  };
}

/** Also accepted as a string: MCPProxy's users clear with `isolation_json: "null"`. */
function isCleared(value: unknown): boolean {
  return value === null || (typeof value === 'string' && ['', 'null'].includes(value.trim()));
}

function readString(value: unknown, key: string): string {
  if (typeof value === 'string') return value;
  throw refused(key, 'a text');
}

export const protocols: readonly unknown[] = ['stdio', 'http', 'sse', 'streamable-http', 'auto'];

function readProtocol(value: unknown, key: string): unknown {
  if (protocols.includes(value)) return value;
  throw refused(key, `one of ${protocols.join(', ')}`);
}

function readSwitch(value: unknown, key: string): boolean {
  if (value === true || value === false) return value;
  throw refused(key, 'true or false, without quotes');
}

function readList(value: unknown, key: string): unknown {
  const list = parsed(value, key);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw refused(key, 'a list of strings');
}

/** A map of strings; null removes a key. */
function readTexts(value: unknown, key: string): JsonObject {
  const map = readMap(value, key);
  if (Object.values(map).every((item) => typeof item === 'string' || item === null)) return map;
  throw refused(key, 'an object of strings; null removes one');
}

function readMap(value: unknown, key: string): JsonObject {
  const map = parsed(value, key);
  if (isObject(map)) return map;
  throw refused(key, 'an object');
}

/** `30s`, `2m`, or seconds as a number. */
function readSeconds(value: unknown, key: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(String(toPlainNumber(value)).trim());
  const seconds = Number(match?.[1]) * ({ ms: 0.001, m: 60 }[match?.[2] ?? ''] ?? 1);
  if (seconds > 0) return seconds;
  throw refused(key, 'a time like "30s"');
}

function parsed(value: unknown, key: string): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    throw new AppError('bad_request', `"${key}" is not valid JSON.`, {
      fix: 'Nothing was changed.',
      cause: error,
    });
  }
}

function refused(key: string, wanted: string): AppError {
  return new AppError('bad_request', `"${key}" is not ${wanted}.`, { fix: 'Nothing was changed.' });
}

// A server as shown by upstream_servers.

const states: Readonly<Record<ServerSummary['state'], string>> = {
  disabled: 'Disconnected',
  disconnected: 'Disconnected',
  installing: 'Connecting',
  connecting: 'Connecting',
  'pending-sign-in': 'Pending Auth',
  authenticating: 'Authenticating',
  discovering: 'Discovering',
  ready: 'Ready',
  error: 'Error',
};

const levels: Readonly<Record<HealthLevel, string>> = {
  ok: 'healthy',
  off: 'healthy',
  busy: 'healthy',
  attention: 'degraded',
  error: 'unhealthy',
};

const actions: Readonly<Record<NonNullable<ServerHealth['action']>['kind'], string>> = {
  retry: 'restart',
  'sign-in': 'login',
  enable: 'enable',
  review: 'approve',
  'edit-config': 'configure',
  'view-log': 'view_logs',
  'add-secret': 'set_secret',
  unlock: 'set_secret',
};

export function connectionStatus({ state, error, failures }: ServerSummary): JsonObject {
  return {
    state: states[state],
    ...(error !== undefined && { last_error: error }),
    ...(failures > 0 && { retry_count: failures }),
  };
}

/**
 * `shown`: number of tools visible to client apps. A server that fails or waits for a sign-in has no callable tools.
 */
function toolCounts({ enabled, state, tools }: ServerSummary, shown: number): JsonObject {
  if (!enabled) return { callable: 0, server_disabled: tools };
  const isOut = state === 'error' || state === 'pending-sign-in' || state === 'authenticating';
  return { callable: isOut ? 0 : shown, server_disabled: 0, disabled_by_config: Math.max(0, tools - shown) };
}

/** Reasons why a server is held, and the user's options. */
const holds: Readonly<Record<LeaseHandle, string>> = {
  review: 'in quarantine: the user must review it (tooltray inbox show NAME)',
  blocked: 'blocked by the user (tooltray inbox show NAME)',
  setup: 'a value that its entry requires is not set (tooltray config validate NAME)',
};

/** MCPProxy's term for a server that is neither started nor listed before the user approves it. */
export function isQuarantined({ held }: Pick<ServerSummary, 'held'>): boolean {
  return held === 'review' || held === 'blocked';
}

export function serverReport(server: ServerSummary, shown: number): JsonObject {
  const { transport, lazy: _, enabled, ...config } = server.config;
  const { level, summary, detail, action } = server.health;
  return {
    name: server.name,
    protocol: transport,
    ...config,
    enabled,
    quarantined: isQuarantined(server),
    connection_status: connectionStatus(server),
    tools: toolCounts(server, shown),
    ...(server.held !== undefined && { security_status: holds[server.held].replace('NAME', server.name) }),
    health: {
      level: levels[level],
      admin_state: server.enabled ? 'enabled' : isQuarantined(server) ? 'quarantined' : 'disabled',
      summary,
      detail,
      action: action === undefined ? '' : actions[action.kind],
    },
  };
}

// A patch changes only values that differ from the listed ones; a masked secret sent back is not a change.

/** `shown` is the entry as listed. Throws AppError `bad_request` for a masked value that was not listed. */
export function changedFields(fields: JsonObject, shown: Readonly<JsonObject>): JsonObject {
  const changed: JsonObject = {};
  for (const [field, value] of Object.entries(fields)) {
    const before = shown[field === 'type' ? 'transport' : field];
    const after = isObject(value) && isObject(before) ? changedFields(value, before) : value;
    if (isDeepStrictEqual(value, before) || (isObject(after) && Object.keys(after).length === 0)) continue;
    if (!isObject(after) && JSON.stringify(after).includes(maskPlaceholder)) throw masked(field);
    changed[field] = after;
  }
  return changed;
}

function masked(field: string): AppError {
  return new AppError('bad_request', `"${field}" holds ${maskPlaceholder}, the placeholder of a masked secret.`, {
    fix: 'Omit fields that stay unchanged, or pass the real value. Nothing was changed.',
  });
}

// The current state of the server that an operation addresses.

/** Throws AppError `bad_request` without a name, `server_not_found`. */
export function requireServerFrom(input: JsonObject, admin: ModelAdmin): ServerSummary {
  const name = requireName(input);
  const servers = admin.list();
  const server = servers.find((one) => one.name === name);
  if (server !== undefined) return server;
  const available = servers.map((one) => one.name);
  throw new AppError('server_not_found', `There is no server named ${JSON.stringify(truncateName(name))}.`, {
    fix: available.length === 0 ? 'No server is configured yet.' : `Servers: ${available.join(', ')}.`,
    data: { available },
  });
}

/** Throws AppError `bad_request`. */
export function requireName(input: JsonObject): string {
  const name = readTrimmedText(input['name']);
  if (name !== undefined) return name;
  throw new AppError('bad_request', 'The server name is missing.', { fix: 'Pass it as "name".' });
}
