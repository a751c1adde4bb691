/** Builds a server's configuration from a validated entry: determines its kind, fills in defaults, converts units. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { LaunchDefaults } from './app-config.ts';
import type { LeaseHandle, ServerConfig, ToolSelection } from './server-config.ts';
import { serverDefaults } from './default-config.ts';
import { holdFixes, holdOf, holdReasons } from './server-holds.ts';
import { parseIsolation } from './parse-isolation.ts';
import type { EntryReader } from './entry-reader.ts';
import { placementProblem } from './placement.ts';
import { parseOAuthClient } from './read-oauth.ts';
import { type Env, replaceVariables, type UnresolvedPlaceholder } from './replace-variables.ts';
import { addressProblem, type ServerEntry } from './schema.ts';

interface BuildContext {
  readonly env: Env;
  /** Folder of the config file, the base of relative paths. */
  readonly folder: string;
  /** Settings of the file for all servers. */
  readonly settings: LaunchDefaults;
}

/** Undefined if the entry cannot be used; `reader` then has at least one error. */
export function buildServerConfig(reader: EntryReader, context: BuildContext): ServerConfig | undefined {
  const written = reader.read(homeOf(context.env));
  if (written === undefined) return undefined;
  const on = written.enabled ?? true;
  let held: LeaseHandle | undefined = holdOf(written);
  if (held !== undefined) reportHeld(reader, held);
  const entry = replaceVariables(written, context.env, (unfilled) => {
    if (unfilled.source === 'secret') return reportMisplaced(reader, on && held === undefined, unfilled.path);
    // The vault may have a value of that name; it is filled in, or reported as missing, when the server starts.
    if (takesSecrets(unfilled.path) && unfilled.path[0] !== 'url') return `\${secret:${unfilled.name}}`;
    reportUnfilled(reader, unfilled);
    held ??= 'setup';
    return `\${${unfilled.source}:${unfilled.name}}`;
  });
  if (reader.hasUnfilled) held ??= 'setup';
  const enabled = on && held === undefined;
  const kind = kindOf(entry);
  const base = {
    name: reader.name,
    enabled,
    ...(on && held !== undefined && { held }),
    ...(written.isolation !== undefined && { isolation: written.isolation }),
    ...(written.placement !== undefined && { placement: written.placement }),
    ...(written.registry !== undefined && { registry: written.registry }),
    ...(entry.prefix !== undefined && { prefix: entry.prefix }),
    ...toolSwitch(entry),
    ...serverLimits(entry, context.settings),
  };
  const server =
    kind === 'stdio'
      ? { ...base, kind, ...stdioPart(reader, entry, context) }
      : kind === 'builtin'
        ? { ...base, kind, builtin: entry.builtin ?? reader.name, folders: allowedFolders(reader, entry, context) }
        : { ...base, kind, ...httpPart(reader, entry), ...(kind === 'openapi' && openApiPart(entry, context)) };
  reportPlacement(reader, written, kind);
  return reader.failed ? undefined : { ...server, hash: hashServerConfig(server) };
}

function kindOf({ type, builtin, command, spec }: ServerEntry): ServerConfig['kind'] {
  if (type === 'sse' || type === 'builtin') return type;
  if (spec !== undefined) return 'openapi';
  if (builtin !== undefined) return 'builtin';
  return command === undefined ? 'http' : 'stdio';
}

function reportHeld(reader: EntryReader, held: LeaseHandle): void {
  reader.report('warning', ['quarantined'], holdReasons[held], holdFixes[held].replace('NAME', reader.name));
}

function toolSwitch({ disabledTools, enabledTools }: ServerEntry): { toolSwitch?: ToolSelection } {
  if (disabledTools === undefined && enabledTools === undefined) return {};
  return { toolSwitch: { off: disabledTools ?? [], only: enabledTools } };
}

/** Secrets are permitted in some fields only; elsewhere they are an error, or a warning for a disabled server. */
function reportMisplaced(reader: EntryReader, isOn: boolean, path: readonly PropertyKey[]): undefined {
  if (takesSecrets(path)) return;
  const where = 'Secrets are allowed only in variables, arguments, headers, URLs, and client secrets.';
  reader.report(isOn ? 'error' : 'warning', path, where, 'Set it there.');
}

/** Reports a variable without a value; the server stays off until it has one. */
function reportUnfilled(reader: EntryReader, { path, source, name }: UnresolvedPlaceholder): void {
  const reason =
    source === 'env' ? `The environment variable ${name} is not set.` : `\${${source}:${name}} cannot be used here.`;
  const suggestion =
    source === 'env' ? `Set ${name}, or write \${env:${name}:-default}.` : `Write \${env:NAME} and set that variable.`;
  reader.report('warning', path, reason, suggestion);
}

function takesSecrets([field, inner]: readonly PropertyKey[]): boolean {
  // In every spelling of read-oauth.ts.
  if (field === 'oauth') return /secret$/i.test(String(inner));
  return field === 'args' || field === 'env' || field === 'headers' || field === 'url';
}

/** An entry whose placement is invalid is unusable, because with a wrong guess users would share one user's data. */
function reportPlacement(reader: EntryReader, written: ServerEntry, kind: ServerConfig['kind']): void {
  const mistake = placementProblem(written, kind);
  if (mistake !== undefined) reader.report('error', ['placement'], mistake.reason, mistake.suggestion);
}

function stdioPart(reader: EntryReader, entry: ServerEntry, { folder, env, settings }: BuildContext) {
  const { command = '', args = [] } = entry;
  if (command.trim() === '') reader.report('error', ['command'], 'The command is empty.');
  const cwd = entry.cwd === undefined ? undefined : resolve(folder, expandHome(entry.cwd, env));
  const { inheritEnv } = entry;
  const isolate = parseIsolation(entry, settings.isolateCommands, (path) => resolve(folder, expandHome(path, env)));
  return {
    command,
    args,
    env: entry.env ?? {},
    ...(inheritEnv !== undefined && { inheritEnv }),
    ...(isolate && { isolate }),
    cwd,
  };
}

function httpPart(reader: EntryReader, entry: ServerEntry) {
  // A placeholder that is left was reported: what the address will be is not known.
  const problem = isUnfilled(entry.url ?? '') ? undefined : addressProblem(entry.url ?? '');
  if (problem !== undefined) reader.report('error', ['url'], ...problem);
  return {
    url: (entry.url ?? '').trim(),
    headers: entry.headers ?? {},
    ...(typeof entry.oauth === 'object' && {
      // Keys without an effect were reported when the entry was read.
      oauth: parseOAuthClient(entry.oauth, (severity, key, ...words) => {
        if (severity === 'error') reader.report(severity, ['oauth', key], ...words);
      }),
    }),
  };
}

function openApiPart({ spec = '', operations }: ServerEntry, { folder, env }: BuildContext) {
  const place = spec.trim();
  const isAddress = /^(?:https?|file):/i.test(place);
  return { openapi: { spec: isAddress ? place : resolve(folder, expandHome(place, env)), operations } };
}

/** Whether a placeholder remains that only the environment can fill. */
function isUnfilled(text: string): boolean {
  return /\$\{(?:env|input):/.test(text);
}

function allowedFolders(reader: EntryReader, entry: ServerEntry, { env }: BuildContext): string[] {
  return (entry.folders ?? []).map((written, index) => {
    const folder = expandHome(written, env);
    if (!isAbsolute(folder) && !isUnfilled(folder)) {
      reader.report(
        'error',
        ['folders', index],
        'The full path of the directory is required.',
        'Start it at the root or with "~/".',
      );
    }
    return resolve(folder);
  });
}

function expandHome(path: string, env: Env): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homeOf(env), path.slice(1)) : path;
}

function homeOf(env: Env): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? homedir();
}

// Hash of a server's configuration: equal as long as its connection and cached listing remain valid.

type Unhashed<T> = T extends unknown ? Omit<T, 'hash'> : never;

const noReasons: ReadonlySet<string> = new Set([
  'enabled',
  'held',
  'isolation',
  'toolSwitch',
  'description',
  'registry',
]);

/**
 * SHA-256 (hex) of all members except switches, data that is only stored, and texts for users, none of which requires
 * a restart.
 */
export function hashServerConfig(server: Unhashed<ServerConfig>): string {
  const relevant = Object.entries(server).filter(([key]) => !noReasons.has(key));
  return createHash('sha256')
    .update(JSON.stringify(relevant.sort(byKey).map(sortNested)))
    .digest('hex');
}

/** The order of environment variables and headers does not matter. */
function sortNested([key, value]: [string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [key, value ?? null];
  return [key, Object.entries(value).sort(byKey)];
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

// When a server starts and stops, and its limits of time and size.

/** Times in ms and sizes in bytes. */
function serverLimits(entry: ServerEntry, settings: Omit<LaunchDefaults, 'isolateCommands'>) {
  return {
    lazy: entry.lazy ?? false,
    idleTimeoutMs: milliseconds(entry.idleTimeoutSeconds),
    initTimeoutMs:
      milliseconds(entry.initTimeoutSeconds ?? settings.initTimeoutSeconds) ?? serverDefaults.initTimeoutMs,
    callTimeoutMs:
      milliseconds(entry.callTimeoutSeconds ?? settings.callTimeoutSeconds) ?? serverDefaults.callTimeoutMs,
    maxMessageBytes:
      entry.maxMessageMB === undefined ? serverDefaults.maxMessageBytes : Math.round(entry.maxMessageMB * 1024 * 1024),
    ...(entry.maxConcurrent !== undefined && { maxConcurrent: entry.maxConcurrent }),
    description: entry.description,
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
