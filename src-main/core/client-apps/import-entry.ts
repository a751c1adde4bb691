/** Makes an entry of ours of one that any client app or other product wrote: its spellings, its placeholders, its way to say "off". */
import { basename, resolve } from 'node:path';
import { isObject, type JsonObject } from '../base/json.ts';
import { harmlessKeys, keyAliases, kindByType, lostKeys } from '../config/entry-keys.ts';
import { splitCommand } from '../config/split-command.ts';

/** Their key → ours, besides what config files know. opencode: environment; Goose: cmd, envs; Codex: http_headers. */
const moreAliases: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['environment', 'env'],
  ['envs', 'env'],
  ['http_headers', 'headers'],
]);

/** What says how to reach a server, how it is to be treated, and which of its tools are wanted; the rest is about the app it was in. */
const kept = [
  ...['env', 'cwd', 'description', 'disabledTools', 'enabledTools', 'isolation', 'sandboxEnabled', 'oauth', 'prefix'],
  ...['kits', 'quarantined', 'init_timeout', 'lazy', 'idleStopSeconds', 'initTimeoutSeconds', 'callTimeoutSeconds'],
  ...['maxMessageMB'],
] as const;

/** Keys that are read into an entry in some other way, or say nothing outside of the app they are in. */
const carried: ReadonlySet<string> = new Set([
  ...kept,
  ...['type', 'command', 'args', 'url', 'headers', 'env_http_headers', 'bearer_token_env_var', 'enabled', 'disabled'],
  ...['timeout', 'notes', 'transport', 'builtin', 'folders', 'tools', 'id'],
]);

export interface ImportContext {
  readonly home: string;
  /** The folder that the entry is written for. */
  readonly project?: string | undefined;
  /** The key that the entries stand under: ToolMux's `timeout` is that of the start. */
  readonly container?: string | undefined;
}

/** The entry as our config has it; undefined where it says neither what to start nor where to connect. */
export function importEntry(theirs: unknown, { home, project, container }: ImportContext): JsonObject | undefined {
  if (!isObject(theirs)) return undefined;
  const fields = Object.fromEntries(Object.entries(theirs).map(([key, value]) => [nameOf(key), value]));
  const line = commandLine(fields, theirs);
  const url = line === undefined ? addressOf(fields['url'], theirs) : undefined;
  if (line === undefined && url === undefined) return undefined;
  const entry = {
    ...line,
    ...(url !== undefined && {
      url,
      type: isSse(fields, theirs) ? 'sse' : undefined,
      headers: headersOf(fields, theirs),
    }),
    ...Object.fromEntries(kept.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]]))),
    ...timeoutOf(theirs, url !== undefined, container),
    description: fields['description'] ?? theirs['notes'],
    enabled: isOff(theirs) ? false : undefined,
    // Only what holds something back is of any use later.
    quarantined: theirs['quarantined'] === true ? true : undefined,
  };
  const own = ownPlaceholders(withoutEmpty(entry), { home, project }) as JsonObject;
  return project === undefined || line === undefined ? own : { ...own, cwd: folderIn(project, own['cwd']) };
}

/** What importing this entry leaves behind, a sentence each; values may be secret and are not told. */
export function importLosses(theirs: unknown): readonly string[] {
  if (!isObject(theirs)) return [];
  const lost = Object.entries(theirs).flatMap(([key, value]) => {
    if (value === null || value === undefined || value === '' || value === false || carried.has(nameOf(key))) return [];
    if (typeof value === 'object' && Object.keys(value).length === 0) return [];
    if (key === 'source' && value !== 'custom') return ['source: Tooltray does not keep where a server comes from.'];
    if (harmlessKeys.has(key) || /^[_$]/.test(key)) return [];
    return [`${key}: ${lostKeys.get(key) ?? 'Tooltray does not know this key.'}`];
  });
  const options = Object.keys(objectOf(theirs['transport'])).filter(
    (key) => !['headers', 'auth', 'keep_alive'].includes(key),
  );
  return [
    ...lost,
    ...options.map((key) => `transport.${key}: of "transport" only "headers" and "auth" have an effect.`),
  ];
}

/** As serverLimits has it, in keys whose unit is plain. */
function timeoutOf(
  { timeout, initTimeoutSeconds, callTimeoutSeconds }: JsonObject,
  isAddress: boolean,
  container: string | undefined,
): JsonObject {
  const isStart = container === 'servers';
  const isSaid = isStart ? initTimeoutSeconds !== undefined : callTimeoutSeconds !== undefined;
  if (typeof timeout !== 'number' || timeout <= 0 || isSaid) return {};
  const inMs = isStart ? !isAddress : timeout >= 1000;
  return { [isStart ? 'initTimeoutSeconds' : 'callTimeoutSeconds']: inMs ? timeout / 1000 : timeout };
}

/** Apps start what a project defines in the project's folder; ours are started anywhere. */
function folderIn(project: string, cwd: unknown): string {
  if (typeof cwd !== 'string') return project;
  return cwd.startsWith('${') ? cwd : resolve(project, cwd);
}

function nameOf(key: string): string {
  return moreAliases.get(key) ?? keyAliases.get(key) ?? key;
}

/** opencode has the whole line as a list, Magg as one text, Zed's old form as an object. */
function commandLine({ command: written, args }: JsonObject, theirs: JsonObject): JsonObject | undefined {
  const nested = isObject(written) ? written : {};
  const [said, more] = [nested['path'] ?? nested['command'] ?? written, nested['args'] ?? args];
  const isWholeLine = typeof theirs['source'] === 'string' && theirs['source'] !== 'custom' && more === undefined;
  const words = typeof said === 'string' && isWholeLine ? splitCommand(said) : [said].flat();
  const [command, ...rest] = words.filter((word): word is string => typeof word === 'string' && word !== '');
  if (command === undefined) return undefined;
  return { command, args: [...rest, ...(Array.isArray(more) ? (more as unknown[]) : [])] };
}

/** ToolMux adds /mcp to an address without a path. */
function addressOf(url: unknown, theirs: JsonObject): string | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  const isBase = url === theirs['base_url'] && URL.canParse(url) && new URL(url).pathname === '/';
  return isBase ? new URL('/mcp', url).href : url;
}

/** By its name, or as Magg tells it: by the end of its `uri`. */
function isSse({ type, url }: JsonObject, { transport, uri }: JsonObject): boolean {
  const named = [type, transport].find((one): one is string => typeof one === 'string');
  if (named !== undefined) return kindByType.get(named.toLowerCase().replace(/[-_]/g, '')) === 'sse';
  return uri !== undefined && /\/sse\/?$/.test(String(url));
}

/** Codex names the variables that hold what is secret; Magg keeps headers with its transport. */
function headersOf({ headers }: JsonObject, theirs: JsonObject): JsonObject {
  const { transport, env_http_headers: named, bearer_token_env_var: token } = theirs;
  const fromNames = Object.entries(objectOf(named)).map(([header, name]) => [header, variable(name)] as const);
  const { headers: inside, auth } = objectOf(transport);
  const isToken = typeof auth === 'string' && auth !== '' && auth !== 'oauth';
  return {
    ...(isToken && { Authorization: `Bearer ${auth}` }),
    ...objectOf(inside),
    ...objectOf(headers),
    ...Object.fromEntries(fromNames),
    ...(typeof token === 'string' && { Authorization: `Bearer ${variable(token)}` }),
  };
}

function isOff({ disabled, enabled }: JsonObject): boolean {
  return disabled === true || enabled === false;
}

function variable(name: unknown): string {
  return `\${env:${String(name)}}`;
}

function withoutEmpty(entry: JsonObject): JsonObject {
  const isEmpty = (value: unknown): boolean =>
    value === undefined ||
    value === null ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !isEmpty(value)));
}

/** Claude Code and Gemini: `${NAME}`, `${NAME:-default}`; opencode: `{env:NAME}`; VS Code and Cursor: `${userHome}`, `${workspaceFolder}`. */
const theirPlaceholder =
  /\$\{(userHome|workspaceFolder|workspaceFolderBasename)\}|\$\{([A-Z_][A-Z0-9_]*)(:-[^}]*)?\}|(?<!\$)\{env:([^}:]+)\}/g;

interface Folders {
  readonly home: string;
  readonly project: string | undefined;
}

function ownPlaceholders(value: unknown, folders: Folders): unknown {
  if (typeof value === 'string') {
    return value.replace(theirPlaceholder, (whole, folder?: string, name?: string, fallback = '', named?: string) =>
      folder === undefined ? `\${env:${name ?? named}${fallback}}` : (folderText(folder, folders) ?? whole),
    );
  }
  if (Array.isArray(value)) return value.map((item) => ownPlaceholders(item, folders));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ownPlaceholders(item, folders)]));
}

function folderText(name: string, { home, project }: Folders): string | undefined {
  if (name === 'userHome') return home;
  return name === 'workspaceFolder' || project === undefined ? project : basename(project);
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
