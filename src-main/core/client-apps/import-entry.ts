/** Makes an entry of ours of one that any client app or other product wrote: its spellings, its placeholders, its way to say "off". */
import { basename, resolve } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { isSecretName, Masker, secretValues } from '../base/mask.ts';
import { ConfigDocument } from '../config/config-document.ts';
import { harmlessKeys, keyAliases, kindByType, lostKeys } from '../config/read-entry.ts';
import { nodeValue } from '../config/json-text.ts';
import { splitCommand } from '../config/build-server.ts';

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
  ...['timeout', 'notes', 'transport', 'builtin', 'folders', 'tools', 'id', 'scopes'],
]);

interface ImportContext {
  readonly home: string;
  /** The folder that the entry is written for. */
  readonly project?: string | undefined;
  /** The key that the entries stand under: ToolMux's `timeout` is that of the start. */
  readonly container?: string | undefined;
}

/** The entry as our config has it; undefined where it says neither what to start nor where to connect. */
export function importEntry(theirs: unknown, { home, project, container }: ImportContext): JsonObject | undefined {
  if (!isObject(theirs)) return undefined;
  const fields = Object.fromEntries(Object.entries(theirs).map(([key, value]) => [nameOf(key, value), value]));
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
    ...oauthOf(fields['oauth'], theirs),
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
    if (value === null || value === undefined || value === '' || value === false || carried.has(nameOf(key, value)))
      return [];
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

/** Codex names the rights beside its client. */
function oauthOf(oauth: unknown, { scopes }: JsonObject): JsonObject {
  return Array.isArray(scopes) && scopes.length > 0
    ? { oauth: { ...objectOf(oauth), scopes: scopes as unknown[] } }
    : {};
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

/** `auth` with a client in it is Cursor's. */
function nameOf(key: string, value: unknown): string {
  if (key === 'auth' && isObject(value)) return 'oauth';
  return moreAliases.get(key) ?? keyAliases.get(key) ?? key;
}

/** opencode has the whole line as a list, Magg as one text, Zed's old form as an object. */
function commandLine({ command: written, args }: JsonObject, theirs: JsonObject): JsonObject | undefined {
  const nested = objectOf(written);
  const [said, more] = [nested['path'] ?? nested['command'] ?? written, nested['args'] ?? args];
  const isWholeLine = typeof theirs['source'] === 'string' && theirs['source'] !== 'custom' && more === undefined;
  const words = typeof said === 'string' && isWholeLine ? splitCommand(said) : [said].flat();
  const [command, ...rest] = words.filter((word): word is string => typeof word === 'string' && word !== '');
  if (command === undefined || command.trim() === '') return undefined;
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

/** The servers that a file of any product defines: JSON with comments, TOML or YAML, wherever in it they stand. */
export interface ImportedServer {
  readonly name: string;
  /** As our config has it. */
  readonly entry: JsonObject;
  /** What is left behind, a line each. */
  readonly losses?: readonly string[];
}

type TextFormat = 'json' | 'toml' | 'yaml';

/**
 * Where products keep their servers. servers: ours, VS Code, ToolMux, Magg; context_servers: Zed; mcp_servers: Codex;
 * mcp: opencode; extensions: Goose; amp.mcpServers is one key.
 */
export const serverContainers = [
  'servers',
  'mcpServers',
  'context_servers',
  'mcp_servers',
  'amp.mcpServers',
  'mcp',
  'extensions',
] as const;

export function formatOf(file: string): TextFormat {
  if (/\.toml$/i.test(file)) return 'toml';
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json';
}

/** What `text` defines; of one name the first counts. Throws AppError config_invalid where it cannot be read at all. */
export function serversOfText(text: string, file: string, home: string): readonly ImportedServer[] {
  return serversOfValue(parseText(text, formatOf(file), file), home);
}

/** The same for a value that has been read already. */
function serversOfValue(value: unknown, home: string): readonly ImportedServer[] {
  if (!isObject(value)) return [];
  const found = serverContainers.flatMap((key) =>
    entriesOfValue(value[key]).map(([name, theirs]) => [key, name, theirs] as const),
  );
  const byName = new Map<string, ImportedServer>();
  for (const [key, name, theirs] of found) {
    const entry = importEntry(theirs, { home, container: key });
    if (entry !== undefined && !byName.has(name)) byName.set(name, { name, entry, losses: importLosses(theirs) });
  }
  return [...byName.values()];
}

/** VS Code's settings hold `mcp: { servers }`; MCPProxy's file a list whose items have their names in them. */
export function entriesOfValue(container: unknown): [name: string, entry: unknown][] {
  if (Array.isArray(container)) {
    return (container as unknown[]).flatMap((item): [string, unknown][] =>
      isObject(item) && typeof item['name'] === 'string' && item['name'] !== '' ? [[item['name'], item]] : [],
    );
  }
  if (!isObject(container)) return [];
  const nested = container['servers'];
  return isObject(nested) && !('command' in nested) && !('url' in nested)
    ? Object.entries(nested)
    : Object.entries(container);
}

export function parseText(text: string, format: TextFormat, file: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  if (format === 'json') return parseJsonc(plain, file);
  try {
    return format === 'toml' ? parseToml(plain) : (parseYaml(plain) as unknown);
  } catch (cause) {
    throw unreadable(file, errorText(cause).split('\n')[0] ?? '', cause);
  }
}

function parseJsonc(text: string, file: string): unknown {
  if (text.trim() === '') return {};
  const { root, problems } = new ConfigDocument(text, file);
  if (root !== undefined) return nodeValue(root);
  const [problem] = problems;
  throw unreadable(file, problem === undefined ? '' : `Line ${problem.line}: ${problem.reason}`);
}

function unreadable(file: string, why: string, cause?: unknown): AppError {
  return new AppError('config_invalid', `${file} cannot be read. ${why}`.trim(), {
    fix: 'Mend the file first.',
    cause,
  });
}

// Which settings of an entry hold secrets, by name: a person should know what an import copies; the values are told nobody.

/** Names of variables, headers and flags. */
export function secretSettings(entry: JsonObject): readonly string[] {
  const named = ['env', 'headers', 'oauth'].flatMap((key) => secretNames(entry[key]));
  const inAddress = typeof entry['url'] === 'string' && new Masker().maskText(entry['url']) !== entry['url'];
  return [...new Set([...named, ...secretFlags(entry['args']), ...(inAddress ? ['url'] : [])])];
}

function secretNames(value: unknown): string[] {
  const texts = Object.entries(objectOf(value)).map(([name, text]) => [name, String(text)] as const);
  return texts
    .filter(([name, text]) => !isReference(text) && secretValues({ [name]: text }).length > 0)
    .map(([name]) => name);
}

/** `${env:NAME}` says where the secret is, not what it is. */
function isReference(text: string): boolean {
  return /^(?:Bearer |Basic |Token )?\$\{[^}]+\}$/i.test(text);
}

function secretFlags(args: unknown): string[] {
  if (!Array.isArray(args)) return [];
  const words = (args as unknown[]).map(String);
  const shown = new Masker().maskObject(words) as string[];
  return words.flatMap((word, index) => {
    if (shown[index] === word) return [];
    const [flag = ''] = word.split('=');
    const before = words[index - 1] ?? '';
    if (word.startsWith('-') && flag !== word) return [flag];
    return [before.startsWith('-') && isSecretName(before) ? before : 'args'];
  });
}

// Whether two entries lead to the same server: by what they start or where they connect, whatever they are called.

/** Equal for entries that start the same thing; undefined where an entry starts nothing. */
export function launchIdentity(entry: JsonObject): string | undefined {
  const { url, command, args } = entry;
  if (typeof url === 'string') return addressIdentity(url);
  if (typeof command !== 'string') return undefined;
  const words = Array.isArray(args) ? (args as unknown[]).map(String) : [];
  return JSON.stringify(plainWords(programName(command), words));
}

/**
 * The package, script or host behind an entry, without versions and without the options it is started with: what two entries
 * share that start the same server in different ways.
 */
export function launchSubject(entry: JsonObject): string | undefined {
  const { url, command, args } = entry;
  if (typeof url === 'string') return addressIdentity(url);
  if (typeof command !== 'string') return undefined;
  const [program = '', ...words] = plainWords(
    programName(command),
    Array.isArray(args) ? (args as unknown[]).map(String) : [],
  );
  if (!runners.has(program)) return program;
  const subject = words.find((word) => !word.startsWith('-') && !runnerWords.has(word));
  return subject === undefined ? program : withoutVersion(subject);
}

/** Programs that say nothing about the server; the first word after them does. */
const runners: ReadonlySet<string> = new Set(
  'npx bunx pnpx node bun deno python python3 uv uvx pipx docker podman npm pnpm yarn java'.split(' '),
);
const runnerWords: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'tool']);

/** `npx.cmd`, `/opt/node/bin/npx` and `npx` are one program. */
function programName(command: string): string {
  const file = command.split(/[\\/]/).at(-1) ?? command;
  return file.replace(/\.(exe|cmd|bat|ps1)$/i, '').toLowerCase();
}

/** Windows starts scripts through `cmd /c`; `-y` only keeps npx from asking. */
function plainWords(program: string, words: readonly string[]): readonly string[] {
  if (program === 'cmd' && /^\/c$/i.test(words[0] ?? '') && words[1] !== undefined)
    return plainWords(programName(words[1]), words.slice(2));
  if (program !== 'npx') return [program, ...words];
  return [program, ...words.filter((word) => word !== '-y' && word !== '--yes')];
}

function withoutVersion(subject: string): string {
  return subject.replace(/(?<=.)@[\w.^~-]+$/, '').replace(/==[\w.]+$/, '');
}

function addressIdentity(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, '')}${search}`;
}
