/** Makes an entry of ours of one that any client app wrote: its spellings, its placeholders, its way to say "off". */
import { isObject, type JsonObject } from '../base/json.ts';
import { keyAliases, kindByType } from '../config/entry-keys.ts';

/** Their key → ours, besides what config files know. opencode: environment; Goose: cmd, envs; Codex: http_headers. */
const moreAliases: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['environment', 'env'],
  ['envs', 'env'],
  ['http_headers', 'headers'],
]);

/** What says how to reach a server and which of its tools are wanted; the rest is about the app it was in. */
const kept = [
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'description',
  'disabledTools',
  'enabledTools',
] as const;

/** The entry as our config has it; undefined where it says neither what to start nor where to connect. */
export function importEntry(theirs: unknown, home: string): JsonObject | undefined {
  if (!isObject(theirs)) return undefined;
  const fields = Object.fromEntries(Object.entries(theirs).map(([key, value]) => [nameOf(key), value]));
  const [command, ...words] = commandWords(fields['command']);
  const url = typeof fields['url'] === 'string' && fields['url'] !== '' ? fields['url'] : undefined;
  if (command === undefined && url === undefined) return undefined;
  const args = [...words, ...(Array.isArray(fields['args']) ? (fields['args'] as unknown[]) : [])];
  const headers = { ...(isObject(fields['headers']) ? fields['headers'] : {}), ...headersFromVariables(theirs) };
  const entry = {
    ...Object.fromEntries(kept.map((key) => [key, fields[key]])),
    ...(command === undefined ? { url, type: isSse(fields['type']) ? 'sse' : undefined } : { command, url: undefined }),
    args: command === undefined || args.length === 0 ? undefined : args,
    headers: command === undefined ? headers : undefined,
    enabled: theirs['disabled'] === true || theirs['enabled'] === false ? false : undefined,
  };
  return ownPlaceholders(withoutEmpty(entry), home) as JsonObject;
}

function nameOf(key: string): string {
  return moreAliases.get(key) ?? keyAliases.get(key) ?? key;
}

/** opencode has the whole command line as a list. */
function commandWords(command: unknown): readonly string[] {
  const words = Array.isArray(command) ? (command as unknown[]) : [command];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

function isSse(type: unknown): boolean {
  return typeof type === 'string' && kindByType.get(type.toLowerCase().replace(/[-_]/g, '')) === 'sse';
}

/** Codex names the variables that hold what is secret. */
function headersFromVariables({ env_http_headers: named, bearer_token_env_var: token }: JsonObject): JsonObject {
  const fromNames = Object.entries(isObject(named) ? named : {}).map(([header, name]) => [header, variable(name)]);
  return {
    ...(Object.fromEntries(fromNames) as JsonObject),
    ...(typeof token === 'string' && { Authorization: `Bearer ${variable(token)}` }),
  };
}

function variable(name: unknown): string {
  return `\${env:${String(name)}}`;
}

function withoutEmpty(entry: JsonObject): JsonObject {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !isEmpty(value)));
}

/** Claude Code and Gemini: `${NAME}`, `${NAME:-default}`; opencode: `{env:NAME}`; VS Code and Cursor: `${userHome}`. */
const theirPlaceholder = /\$\{userHome\}|\$\{([A-Z_][A-Z0-9_]*)(:-[^}]*)?\}|(?<!\$)\{env:([^}:]+)\}/g;

function ownPlaceholders(value: unknown, home: string): unknown {
  if (typeof value === 'string') {
    return value.replace(theirPlaceholder, (whole, name?: string, fallback = '', named?: string) =>
      whole === '${userHome}' ? home : `\${env:${name ?? named}${fallback}}`,
    );
  }
  if (Array.isArray(value)) return value.map((item) => ownPlaceholders(item, home));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ownPlaceholders(item, home)]));
}
