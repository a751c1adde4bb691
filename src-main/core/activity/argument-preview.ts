/**
 * The argument that identifies a call of a tool, as a short text: `orders.json`, `SELECT id FROM orders`, `acme/web
 * #12`. Chosen by the names of the arguments and by what the schema requires; secrets are masked, and invisible
 * characters marked.
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { isSecretName, maskPlaceholder, maskText } from '../base/mask.ts';
import { markInvisible } from '../base/visible-text.ts';

/** In characters. */
const maxPreview = 120;
/** Maximum length of a value that is read before it is shortened, in characters. */
const maxRead = 2_000;
/** Maximum number of names or items of one value that are looked at. */
const maxMembers = 100;

/** Names of identifying arguments in order of preference, matched against the last word of an argument's name. */
const namesByRank: readonly RegExp[] = [
  /^(?:path|file|filename|filepath|directory|dir|folder|paths|files)$/,
  /^(?:url|uri|href|link|urls|uris)$/,
  /^(?:query|sql|statement|q|search|pattern|expression|jql|cql|filter|question|queries|regex)$/,
  /^(?:command|cmd|code|script)$/,
  /^(?:title|subject|name|names|label|topic|summary|symbol|ticker)$/,
  /^(?:id|ids|key|keys|number|slug|handle|identifier|ref|sha|branch|uuid)$/,
  /^(?:repo|repository|project|owner|channel|table|database|collection|city|location|address|email|to|recipient|timezone)$/,
  /^(?:text|message|content|prompt|body|word|words|input|description|thoughts?)$/,
];
const lowestRank = namesByRank.length;

/** Empty if no argument identifies the call. */
export function argumentPreview(args: unknown, schema?: unknown): string {
  const input = objectOrEmpty(args);
  const required = requiredNames(schema);
  const candidates = Object.keys(input)
    .slice(0, maxMembers)
    .map((name, at) => ({ name, at, rank: rankOf(name, input[name], required) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.at - b.at);
  const first = candidates[0];
  if (first === undefined) return '';
  const repository = repositoryOf(input);
  const text = repository ?? valueText(first.name, input[first.name]);
  const number = repository === undefined ? undefined : numberOf(input);
  return shortened(markInvisible(maskText(number === undefined ? text : `${text} #${number}`)));
}

/** Lower is better; undefined if it identifies nothing. */
function rankOf(name: string, value: unknown, required: ReadonlySet<string>): number | undefined {
  if (isSecretName(name) || textOf(value) === '') return undefined;
  const word = lastWord(name);
  const found = namesByRank.findIndex((pattern) => pattern.test(word));
  const rank = found === -1 ? lowestRank : found;
  // A number or a boolean says less than a text, and a required argument says more than an optional one.
  return rank + (typeof value === 'string' || found !== -1 ? 0 : 1) + (required.has(name) ? 0 : 0.5);
}

/** `file_path`, `filePath`, `file-path` → `path`. */
function lastWord(name: string): string {
  return (
    name
      .slice(-maxRead)
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .split(/[^A-Za-z0-9]+/)
      .at(-1) ?? name
  ).toLowerCase();
}

/** Returns `acme/web` if both are given. */
function repositoryOf({ owner, repo }: JsonObject): string | undefined {
  return typeof owner === 'string' && typeof repo === 'string' ? `${owner}/${repo}` : undefined;
}

function numberOf(input: JsonObject): number | string | undefined {
  const number = input['issue_number'] ?? input['pull_number'] ?? input['pullNumber'] ?? input['number'];
  return typeof number === 'number' || typeof number === 'string' ? number : undefined;
}

function valueText(name: string, value: unknown): string {
  const text = textOf(value);
  const word = lastWord(name);
  if (namesByRank[1]?.test(word) === true) return text.replace(/^https?:\/\/(?:www\.)?/, '');
  if (namesByRank[0]?.test(word) === true) return lastParts(text);
  // A number needs its name.
  return typeof value === 'string' || Array.isArray(value) || isObject(value) ? text : `${name}: ${text}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, maxRead).replace(/\s+/g, ' ').trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const texts = (value.slice(0, maxMembers) as unknown[]).map(textOf).filter((text) => text !== '');
    const [first] = texts;
    const more = texts.length - 1 + Math.max(0, value.length - maxMembers);
    return first === undefined ? '' : more === 0 ? first : `${first} +${more}`;
  }
  if (!isObject(value)) return '';
  const names = Object.keys(value).slice(0, maxMembers);
  const name = names.find((key) => rankOf(key, value[key], new Set()) !== undefined);
  return names.some(isSecretName) && name === undefined
    ? maskPlaceholder
    : name === undefined
      ? ''
      : textOf(value[name]);
}

/** The last two parts, because long paths share their beginning. */
function lastParts(path: string): string {
  const parts = path
    .replace(/[/\\]+$/, '')
    .split(/[/\\]/)
    .filter((part) => part !== '');
  return parts.length <= 2 ? path : parts.slice(-2).join('/');
}

function requiredNames(schema: unknown): ReadonlySet<string> {
  const required = objectOrEmpty(schema)['required'];
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function shortened(text: string): string {
  return text.length <= maxPreview ? text : `${text.slice(0, maxPreview - 1).trimEnd()}…`;
}
