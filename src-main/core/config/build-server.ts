/** Makes a server of a checked entry: decides its kind, fills defaults in, converts units. */
import { closestWord } from '../base/wording.ts';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { AppConfig, Hold, ServerConfig, ToolSwitch } from './app-config.ts';
import { serverDefaults } from './default-config.ts';
import { holdFixes, holdOf, holdReasons } from './holds.ts';
import { isolationOf } from './isolation.ts';
import { type containerKeys, type EntryReader, kindByType } from './read-entry.ts';
import { placementMistake } from './placement.ts';
import { readOAuth } from './read-oauth.ts';
import { type Environment, replaceVariables, type UnfilledPlaceholder } from './replace-variables.ts';
import type { Entry } from './schema.ts';

interface BuildContext {
  readonly env: Environment;
  /** Folder of the config file: relative paths start there. */
  readonly folder: string;
  readonly container: (typeof containerKeys)[number];
  /** What the file says for all servers. */
  readonly settings: Pick<AppConfig, 'callTimeoutSeconds' | 'initTimeoutSeconds' | 'isolateCommands'>;
}

/** The server, or undefined when the entry cannot be used; `reader` then holds at least one error. */
export function buildServer(reader: EntryReader, context: BuildContext): ServerConfig | undefined {
  const written = reader.read();
  if (reader.failed) return undefined;
  const on = (written.enabled ?? true) && written.disabled !== true;
  let held: Hold | undefined = holdOf(written);
  if (held !== undefined) reportHeld(reader, held);
  const entry = replaceVariables(written, context.env, (unfilled) => {
    if (unfilled.source === 'secret') return reportMisplaced(reader, on && held === undefined, unfilled.path);
    // The vault may have a value of that name: it is filled in, or reported as missing, when the server starts.
    if (takesSecrets(unfilled.path) && unfilled.path[0] !== 'url') return `\${secret:${unfilled.name}}`;
    reportUnfilled(reader, unfilled);
    held ??= 'setup';
    return `\${${unfilled.source}:${unfilled.name}}`;
  });
  const enabled = on && held === undefined;
  const kind = decideKind(reader, entry);
  if (kind === undefined) return undefined;
  const base = {
    name: reader.name,
    enabled,
    ...(on && held !== undefined && { held }),
    ...(written.isolation !== undefined && { isolation: written.isolation }),
    ...(written.placement !== undefined && { placement: written.placement }),
    ...(written.registry !== undefined && { registry: written.registry }),
    ...(entry.prefix !== undefined && { prefix: entry.prefix }),
    ...toolSwitch(entry),
    ...serverLimits(entry, kind, context),
  };
  const server =
    kind === 'stdio'
      ? { ...base, kind, ...stdioPart(reader, entry, context) }
      : kind === 'builtin'
        ? { ...base, kind, builtin: entry.builtin ?? reader.name, folders: allowedFolders(reader, entry, context) }
        : { ...base, kind, ...httpPart(reader, entry) };
  reportUseless(reader, entry, kind);
  reportPlacement(reader, written, kind);
  return reader.failed ? undefined : { ...server, hash: hashServer(server) };
}

function reportHeld(reader: EntryReader, held: Hold): void {
  const place = reader.keyOf('quarantined') === undefined ? [] : ['quarantined'];
  reader.report('warning', place, holdReasons[held], holdFixes[held].replace('NAME', reader.name));
}

function toolSwitch({ disabledTools, enabledTools }: Entry): { toolSwitch?: ToolSwitch } {
  if (disabledTools === undefined && enabledTools === undefined) return {};
  return { toolSwitch: { off: disabledTools ?? [], only: enabledTools } };
}

/** A secret is filled into some fields only. It is an error elsewhere, of a server that is off a warning. */
function reportMisplaced(reader: EntryReader, isOn: boolean, path: readonly PropertyKey[]): undefined {
  if (takesSecrets(path)) return;
  const where = 'Secrets are filled into variables, arguments, headers, addresses and the secret of a client only.';
  reader.report(isOn ? 'error' : 'warning', path, where, 'Write it there.');
}

/** The server exists and stays off until the variable has a value. */
function reportUnfilled(reader: EntryReader, { path, source, name }: UnfilledPlaceholder): void {
  const reason =
    source === 'env'
      ? `The environment variable ${name} is not set.`
      : `\${${source}:${name}} cannot be filled in here.`;
  const suggestion =
    source === 'env' ? `Set ${name}, or write \${env:${name}:-default}.` : `Write \${env:NAME} and set that variable.`;
  reader.report('warning', path, reason, suggestion);
}

/** `transport`: Magg's headers and tokens. */
function takesSecrets([field, inner]: readonly PropertyKey[]): boolean {
  if (field === 'transport') return inner === 'headers' || inner === 'auth';
  // In every spelling of read-oauth.ts.
  if (field === 'oauth') return /secret$/i.test(String(inner));
  return field === 'args' || field === 'env' || field === 'headers' || field === 'url';
}

function decideKind(reader: EntryReader, entry: Entry): ServerConfig['kind'] | undefined {
  const written = entry.type === undefined ? 'auto' : kindByType.get(entry.type.toLowerCase().replace(/[-_]/g, ''));
  if (written === undefined) reportKind(reader, entry.type ?? '');
  if (written === 'stdio' && entry.command === undefined)
    reportMissing(reader, 'a command', '"command": "npx", "args": […]');
  if ((written === 'http' || written === 'sse') && entry.url === undefined)
    reportMissing(reader, 'a URL', '"url": "https://…"');
  if (written !== 'auto') return reader.failed ? undefined : written;
  if (entry.builtin !== undefined) return 'builtin';
  if (entry.command !== undefined && entry.url !== undefined) {
    reader.report(
      'error',
      [],
      'The server has both a command and a URL.',
      'Remove one of them, or say which counts with "type".',
    );
    return undefined;
  }
  if (entry.command !== undefined) return 'stdio';
  // Magg's rule: an address that ends so is the older transport.
  if (entry.url !== undefined) return reader.keyOf('url') === 'uri' && /\/sse\/?$/.test(entry.url) ? 'sse' : 'http';
  reportMissing(reader, 'a command or a URL', '"command": "npx", "args": […] or "url": "https://…"');
  return undefined;
}

function reportKind(reader: EntryReader, written: string): void {
  const meant = closestWord(written, ['stdio', 'http', 'streamable-http', 'sse', 'builtin']);
  const suggestion = meant === undefined ? 'Use "stdio", "http" or "sse".' : `Did you mean "${meant}"?`;
  reader.report('error', ['type'], 'This kind of server is not known.', suggestion);
}

const fieldsOf = {
  stdio: ['command', 'args', 'env', 'inheritEnv', 'isolation', 'cwd'],
  http: ['url', 'headers', 'oauth'],
  builtin: ['builtin', 'folders'],
} as const;

const kindNames = {
  stdio: 'started by a command',
  http: 'at an address',
  builtin: 'that comes with Tooltray',
} as const;

/** Fields that say nothing for a server of this kind: a person expects something of them. */
function reportUseless(reader: EntryReader, entry: Entry, kind: ServerConfig['kind']): void {
  const own = kind === 'sse' ? 'http' : kind;
  const others = (['stdio', 'http', 'builtin'] as const).filter((other) => other !== own);
  for (const field of others.flatMap((other) => fieldsOf[other])) {
    const value: unknown = entry[field];
    // Several products write all fields, empty where they do not apply.
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    if (value === undefined || value === false || isEmpty) continue;
    reader.report('warning', [field], `This has no effect for a server ${kindNames[own]}.`);
  }
  for (const option of Object.keys(entry.transport ?? {})) {
    if (['headers', 'auth', 'keep_alive'].includes(option)) continue;
    reader.report('warning', ['transport', option], 'Of "transport" only "headers" and "auth" have an effect.');
  }
}

/** An entry that nobody could place as it says is not in use: guessed wrong, people would share what is one person's. */
function reportPlacement(reader: EntryReader, written: Entry, kind: ServerConfig['kind']): void {
  const mistake = placementMistake(written, kind);
  if (mistake !== undefined) reader.report('error', ['placement'], mistake.reason, mistake.suggestion);
}

function reportMissing(reader: EntryReader, what: string, example: string): void {
  reader.report('error', [], `The server needs ${what}.`, `Add ${example}.`);
}

function stdioPart(reader: EntryReader, entry: Entry, { folder, env, settings }: BuildContext) {
  const written = entry.command ?? '';
  // Magg's file may hold the whole command line in `command`.
  const isWholeLine = (reader.has('source') || reader.has('uri')) && entry.args === undefined;
  const [command = written, ...args] = isWholeLine ? splitCommand(written) : [written, ...(entry.args ?? [])];
  if (!isWholeLine && entry.args === undefined && /^[^\s/\\]+\s+\S/.test(command)) {
    reader.report('warning', ['command'], 'The command holds spaces.', 'Put what follows the first word into "args".');
  }
  if (command.trim() === '') reader.report('error', ['command'], 'The command is empty.');
  const cwd = entry.cwd === undefined ? undefined : resolve(folder, expandHome(entry.cwd, env));
  const { inheritEnv } = entry;
  const isolate = isolationOf(entry, settings.isolateCommands, (path) => resolve(folder, expandHome(path, env)));
  return {
    command,
    args,
    env: entry.env ?? {},
    ...(inheritEnv !== undefined && { inheritEnv }),
    ...(isolate && { isolate }),
    cwd,
  };
}

function httpPart(reader: EntryReader, entry: Entry) {
  const url = URL.canParse(entry.url ?? '') ? new URL(entry.url ?? '') : undefined;
  if (isUnfilled(entry.url ?? '')) {
    // Reported already; what the address will be is not known.
  } else if (url === undefined || !/^\s*https?:\/\/[^/\s]/i.test(entry.url ?? '')) {
    reader.report(
      'error',
      ['url'],
      'This is not an address that starts with http:// or https://.',
      'Write "https://host/mcp".',
    );
  } else if (url.username !== '' || url.password !== '') {
    const suggestion = 'Write them into "headers", as "Authorization": "Basic ${env:NAME}".';
    reader.report('error', ['url'], 'Names and passwords in an address are not sent.', suggestion);
  }
  // ToolMux adds /mcp to an address without a path.
  const isBase = reader.keyOf('url') === 'base_url' && url?.pathname === '/';
  return {
    url: isBase ? new URL('/mcp', url).href : (entry.url ?? '').trim(),
    headers: { ...bearer(entry.transport?.auth), ...entry.transport?.headers, ...entry.headers },
    ...(typeof entry.oauth === 'object' && {
      oauth: readOAuth(entry.oauth, (severity, key, ...words) => reader.report(severity, ['oauth', key], ...words)),
    }),
  };
}

/** Whether a placeholder is left that only the environment can fill. */
function isUnfilled(text: string): boolean {
  return /\$\{(?:env|input):/.test(text);
}

/** Magg's `auth`: a token, or the word for the sign-in that takes place by itself. */
function bearer(auth: string | undefined): Record<string, string> {
  return auth === undefined || auth === '' || auth === 'oauth' ? {} : { Authorization: `Bearer ${auth}` };
}

function allowedFolders(reader: EntryReader, entry: Entry, { env }: BuildContext): string[] {
  return (entry.folders ?? []).map((written, index) => {
    const folder = expandHome(written, env);
    if (!isAbsolute(folder) && !isUnfilled(folder)) {
      reader.report(
        'error',
        ['folders', index],
        'The whole path of the folder is needed.',
        'Write it from the root or from "~/".',
      );
    }
    return resolve(folder);
  });
}

function expandHome(path: string, env: Environment): string {
  return /^~(?=$|[/\\])/.test(path) ? join(env['HOME'] ?? env['USERPROFILE'] ?? homedir(), path.slice(1)) : path;
}

// The fingerprint of a server: equal as long as its running connection and its cached listing stay right.

type Unhashed<T> = T extends unknown ? Omit<T, 'hash'> : never;

const noReasons: ReadonlySet<string> = new Set([
  'enabled',
  'held',
  'isolation',
  'toolSwitch',
  'description',
  'registry',
]);

/** SHA-256 (hex) of everything but the switches, what is only kept, and the text for people, none of which is a reason to restart. */
export function hashServer(server: Unhashed<ServerConfig>): string {
  const relevant = Object.entries(server).filter(([key]) => !noReasons.has(key));
  return createHash('sha256')
    .update(JSON.stringify(relevant.sort(byKey).map(sortNested)))
    .digest('hex');
}

/** The order in which environment variables and headers are written says nothing. */
function sortNested([key, value]: [string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [key, value ?? null];
  return [key, Object.entries(value).sort(byKey)];
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

// When a server starts and stops, and how long and how large things may get with it.

type Container = (typeof containerKeys)[number];

interface LimitContext {
  readonly container: Container;
  readonly settings: Pick<AppConfig, 'callTimeoutSeconds' | 'initTimeoutSeconds'>;
}

/** Times in ms and sizes in bytes, for a server of that kind from that container. */
function serverLimits(entry: Entry, kind: ServerConfig['kind'], { container, settings }: LimitContext) {
  const { init, call } = otherTimeout(entry.timeout, kind, container);
  return {
    lazy: entry.lazy ?? false,
    idleStopMs: milliseconds(entry.idleStopSeconds),
    initTimeoutMs:
      milliseconds(entry.initTimeoutSeconds ?? entry.init_timeout) ??
      init ??
      milliseconds(settings.initTimeoutSeconds) ??
      serverDefaults.initTimeoutMs,
    callTimeoutMs:
      milliseconds(entry.callTimeoutSeconds) ??
      call ??
      milliseconds(settings.callTimeoutSeconds) ??
      serverDefaults.callTimeoutMs,
    maxMessageBytes:
      entry.maxMessageMB === undefined ? serverDefaults.maxMessageBytes : Math.round(entry.maxMessageMB * 1024 * 1024),
    description: entry.description,
  };
}

/**
 * `timeout` as others mean it: ToolMux (`servers`) limits the start of a command, in ms, and each request to a URL, in seconds. Under
 * `mcpServers` it limits a call, in ms for Claude Code and Gemini and in seconds for Cline: below 1000 only seconds make sense.
 */
function otherTimeout(timeout: number | undefined, kind: string, container: Container) {
  if (timeout === undefined) return {};
  if (container === 'servers') {
    if (kind === 'stdio') return { init: Math.round(timeout) };
    return { init: milliseconds(timeout), call: milliseconds(timeout) };
  }
  return { call: timeout < 1000 ? milliseconds(timeout) : Math.round(timeout) };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

// Splits a command line into words as a POSIX shell would, quotes and backslashes included, and nothing expanded.

const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g;
const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^"'\\]+)/g;

/** The words; text that is not closed properly stays one word. */
export function splitCommand(line: string): string[] {
  return (line.match(word) ?? [line]).map((text) =>
    text.replace(part, (_, double?: string, single?: string, escaped?: string, plain?: string) => {
      return double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain ?? '';
    }),
  );
}
