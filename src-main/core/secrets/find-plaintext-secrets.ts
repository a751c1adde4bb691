/** Finds probable secrets in a server's entry, and replaces them with references. */
import { isObject, type JsonObject } from '../base/json.ts';
import { isSecretName, maskText, opaqueSecrets, secretValues } from '../base/mask.ts';
import { isSuspicious } from '../base/visible-text.ts';
import { isPrefixedKey, prefixedKeyPattern } from '../base/secret-patterns.ts';
import { fieldOfKey } from '../config/dialects/read-entry.ts';

export interface PlaintextSecret {
  /** Position in the entry, as shown to users: `env GITHUB_TOKEN`. */
  readonly where: string;
  readonly value: string;
  /** Possible names, best first. */
  readonly names: readonly string[];
}

/** The same for users, without the value. */
export interface FoundSecret {
  readonly server: string;
  /** Position in its entry: `env GITHUB_TOKEN`. */
  readonly where: string;
  /** The actual or suggested name. */
  readonly name: string;
  /** Whether it is in the keychain, where MCPProxy stores it, instead of a file. */
  readonly inKeychain?: true;
}

/** Returns the name of the secret that replaces a value; undefined leaves it unchanged. */
type Keep = (found: PlaintextSecret) => string | undefined;

/** Returns the likely secrets in an entry, in order. */
export function findPlaintextSecrets(
  server: string,
  entry: JsonObject,
  plainArgument = -1,
): readonly PlaintextSecret[] {
  const found: PlaintextSecret[] = [];
  const note = (one: PlaintextSecret): undefined => void found.push(one);
  withReferences(server, entry, note, plainArgument);
  return found;
}

/** The same, formatted for users. */
export function foundSecrets(server: string, entry: JsonObject): readonly FoundSecret[] {
  return findPlaintextSecrets(server, entry).map(({ where, names: [best = ''] }) => ({ server, where, name: best }));
}

/** Returns the entry's references to MCPProxy's keychain secrets: `${keyring:NAME}`. */
export function keyringSecrets(server: string, entry: JsonObject): readonly FoundSecret[] {
  const names = [...JSON.stringify(entry).matchAll(/\$\{keyring:([A-Za-z0-9_][\w.-]{0,99})(?::-[^}]*)?\}/g)].map(
    ([, name = '']) => name,
  );
  return [...new Set(names)].map((name) => ({
    server,
    where: `\${keyring:${name}} of MCPProxy`,
    name,
    inKeychain: true,
  }));
}

/**
 * The entry with a reference for each value that `keep` names. `plainArgument`: index of an argument that is never a
 * secret.
 */
export function withReferences(server: string, entry: JsonObject, keep: Keep, plainArgument = -1): JsonObject {
  const replaced = Object.entries(entry).map(([key, value]): [string, unknown] => {
    // Cursor's client.
    const field = key === 'auth' && isObject(value) ? 'oauth' : fieldOfKey(key);
    const put = puts(server, keep, field);
    if (['env', 'headers', 'oauth'].includes(field) && isObject(value)) return [key, inMap(value, put)];
    if (field === 'args' && Array.isArray(value))
      return [
        key,
        value.map((word: unknown, at) =>
          at === plainArgument ? inWord(word, undefined, put) : inAnyWord(word, value[at - 1], put),
        ),
      ];
    if (field === 'url' && typeof value === 'string') return [key, inAddress(value, put)];
    if (key === 'transport' && isObject(value) && isObject(value['headers'])) {
      return [key, { ...value, headers: inMap(value['headers'], puts(server, keep, 'headers')) }];
    }
    return [key, value];
  });
  return Object.fromEntries(replaced);
}

/** `name`: its name in the entry; undefined for a value recognized by its shape. */
type Put = (value: string, name: string | undefined) => string;

/** Shorter values could not be masked where they occur, and are rarely secrets. */
const minSecretLength = 6;

function puts(server: string, keep: Keep, field: string): Put {
  return (value, name) => {
    if (isSuspicious(value)) return value;
    if (value.length < minSecretLength || /\$\{\w+:/.test(value) || /^(?:true|false|null|\d{1,15})$/.test(value))
      return value;
    const [own, long] = secretNames(server, name ?? 'KEY');
    const names = field === 'env' ? [own, long] : [long];
    const found = { where: `${field}${name === undefined ? '' : ` ${name}`}`, value, names };
    const chosen = keep(found);
    return chosen === undefined ? value : `\${secret:${chosen}}`;
  };
}

/** Returns names for a server's secret: its own, and one with the server as prefix. */
export function secretNames(server: string, name: string): readonly [own: string, long: string] {
  const own = spelled(name);
  return [own, `${spelled(server)}_${own}`];
}

function spelled(name: string): string {
  return (
    name
      .replace(/^-+/, '')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .toUpperCase()
      .slice(0, 60) || 'SECRET'
  );
}

function inMap(map: JsonObject, put: Put): JsonObject {
  const replaced = Object.entries(map).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'string' || secretValues({ [name]: value }).length === 0) return [name, value];
    return [name, behindScheme(value, (rest) => put(rest, name))];
  });
  return Object.fromEntries(replaced);
}

/** Keeps the scheme of `Bearer KEY` readable. */
function behindScheme(value: string, put: (rest: string) => string): string {
  const [, scheme = '', rest = value] = /^((?:Bearer|Basic|Token|ApiKey) +)(\S.*)$/is.exec(value) ?? [];
  return scheme + put(rest);
}

/** One word of a command line that does not name what is run. */
function inAnyWord(word: unknown, before: unknown, put: Put): unknown {
  const rest = inWord(word, before, put);
  return typeof rest === 'string' && rest === word
    ? replaceEach(rest, opaqueSecrets({ args: [before, rest] }, 0), put)
    : rest;
}

function inWord(word: unknown, before: unknown, put: Put): unknown {
  if (typeof word !== 'string') return word;
  if (typeof before === 'string' && /^-[^=]*$/.test(before) && isSecretName(before) && !word.startsWith('-')) {
    return put(word, before);
  }
  const [, name, link = '', value = ''] = /^(-{0,2}[A-Za-z][\w.-]*)(=|: ?)(?!\/\/)(.+)$/s.exec(word) ?? [];
  if (name !== undefined && isSecretName(name)) return name + link + behindScheme(value, (rest) => put(rest, name));
  const keys = withoutKeys(word, put);
  if (keys !== word) return keys;
  const [, user, password, host] = /^([a-z][\w+.-]*:\/\/[^\s/:@]*:)([^\s/@]+)(@.*)$/is.exec(word) ?? [];
  if (user !== undefined && password !== undefined) return user + put(password, undefined) + host;
  // Several words are a program or a sentence, which should stay readable.
  return /\s/.test(word) || maskText(word) === word ? word : put(word, undefined);
}

function inAddress(url: string, put: Put): string {
  const named = url.replace(/([?&])([^=&#]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) =>
    isSecretName(decoded(name)) ? `${mark}${name}=${put(decoded(value), name)}` : whole,
  );
  return replaceEach(withoutKeys(named, put), opaqueSecrets({ url: named }), put);
}

function replaceEach(text: string, values: readonly string[], put: Put): string {
  return values.reduce((rest, value) => rest.replaceAll(value, () => put(value, undefined)), text);
}

function withoutKeys(text: string, put: Put): string {
  return text.replace(prefixedKeyPattern, (match) => (isPrefixedKey(match) ? put(match, undefined) : match));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
