/**
 * Builds the new entry of a server whose launch configuration is replaced by one found in a client app. References to
 * secrets and variables stay; additional access is named.
 */
import { type JsonObject, mapTexts, objectOrEmpty } from '../base/json.ts';
import { isSecretName, Masker, opaqueSecrets, secretValues } from '../base/mask.ts';
import { isSuspicious, markInvisible } from '../base/visible-text.ts';
import { packagePlace } from './pins/launch-fingerprint.ts';
import { runnerOf } from './runner-words.ts';
import { entryConsequences } from './inbox/entry-consequences.ts';
import { launchSubject } from '../config/dialects/launch-identity.ts';

/**
 * The value of `${secret:NAME}` or `${env:NAME}`; undefined if it has none. May reject, for example if the vault is
 * locked.
 */
export type ReadValue = (source: 'secret' | 'env', name: string) => Promise<string | undefined>;

const placeholder = /\$\{(env|secret|keyring|user):([^}:]+)(?::-([^}]*))?\}/g;

/** Shorter values occur in other words by chance. */
const shortestValue = 6;

/** The placeholders of an entry with their values; those without a known value are left out. */
export async function placeholderValues(entry: JsonObject, readValue: ReadValue): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const [whole, source = '', name = '', fallback] of JSON.stringify(entry).matchAll(placeholder)) {
    if (values.has(whole)) continue;
    const value = (await readValue(source === 'env' ? 'env' : 'secret', name).catch(() => undefined)) ?? fallback;
    if (value !== undefined) values.set(whole, value);
  }
  return values;
}

/** The entry with placeholders replaced by their values, for comparisons; those without a value stay as written. */
export function resolved(entry: JsonObject, values: ReadonlyMap<string, string>): JsonObject {
  return mapTexts(entry, (text) => text.replace(placeholder, (whole) => values.get(whole) ?? whole)) as JsonObject;
}

/**
 * The found launch configuration with the references of the current one: where both set the same variable, header or
 * flag, and wherever the value of a reference occurs literally.
 */
export function withOwnReferences(own: JsonObject, found: JsonObject, values: ReadonlyMap<string, string>): JsonObject {
  const byValue = [...values].filter(([, value]) => value.length >= shortestValue);
  const maxFirstLineLength = byValue.toSorted(([, one], [, other]) => other.length - one.length);
  const put = (text: string): string =>
    maxFirstLineLength.reduce(
      (rest, [reference, value]) =>
        rest.replaceAll(value, () => reference).replaceAll(encodeURIComponent(value), () => reference),
      text,
    );
  const same = mapTexts(found, put) as JsonObject;
  return {
    ...same,
    ...(found['env'] !== undefined && {
      env: storedIn(objectOrEmpty(own['env']), objectOrEmpty(same['env']), (name) => name),
    }),
    ...(found['headers'] !== undefined && {
      headers: storedIn(objectOrEmpty(own['headers']), objectOrEmpty(same['headers']), (name) => name.toLowerCase()),
    }),
    ...(Array.isArray(same['args']) && {
      args: unchangedArgs(wordsOf(own['args']), same['args'] as readonly unknown[]),
    }),
  };
}

function storedIn(own: JsonObject, found: JsonObject, keyOf: (name: string) => string): JsonObject {
  const references = new Map(
    Object.entries(own).flatMap(([name, value]) =>
      hasReference(value) ? [[keyOf(name), [name, value] as const] as const] : [],
    ),
  );
  return Object.fromEntries(Object.entries(found).map(([name, value]) => references.get(keyOf(name)) ?? [name, value]));
}

/**
 * `--token ${secret:X}`, `--token=${secret:X}` and `KEY=${secret:X}` stay, whatever the found launch configuration has
 * there.
 */
function unchangedArgs(own: readonly string[], found: readonly unknown[]): readonly unknown[] {
  const references = new Map<string, string>();
  own.forEach((word, at) => {
    if (hasReference(word)) for (const key of placesOf(word, own[at - 1])) references.set(key, word);
  });
  return found.map((word, at) => {
    if (typeof word !== 'string' || (word.startsWith('-') && !word.includes('='))) return word;
    const [key] = placesOf(word, found[at - 1]);
    return (key === undefined ? undefined : references.get(key)) ?? word;
  });
}

function placesOf(word: string, before: unknown): readonly string[] {
  const named = /^([\w.-]+)=/.exec(word)?.[1];
  if (named !== undefined) return [`${named}=`];
  return typeof before === 'string' && /^-[^=]*$/.test(before) ? [`${before} `] : [];
}

function hasReference(value: unknown): value is string {
  return typeof value === 'string' && value.search(placeholder) !== -1;
}

/** Returns a masker for the secrets of an entry. */
function maskerOf(entry: JsonObject, known: Iterable<string>): Masker {
  const plain = Object.fromEntries(
    [...Object.entries(objectOrEmpty(entry['env'])), ...Object.entries(objectOrEmpty(entry['headers']))].flatMap(
      ([name, value]) => (typeof value === 'string' && !hasReference(value) ? [[name, value] as const] : []),
    ),
  );
  const secrets = secretValues(plain).filter((value) => value.length >= shortestValue && !isSuspicious(value));
  return new Masker([...secrets, ...opaqueSecrets(entry, packageArgument(entry)), ...known]);
}

/** An entry for display: secrets as `***`; references and what a runner runs stay visible. */
export function maskedEntry(entry: JsonObject, known: Iterable<string> = []): JsonObject {
  const masker = maskerOf(entry, known);
  const masked = masker.maskObject(entry) as JsonObject;
  const at = packageArgument(entry);
  if (at < 0) return masked;
  const [own, words] = [wordsOf(entry['args']), wordsOf(masked['args'])];
  return { ...masked, args: words.map((word, index) => (index === at ? masker.maskValues(own[at] ?? '') : word)) };
}

/**
 * The same for a decision: program text is shown even if it looks like a secret (`sh -c "# Authorization: ; rm -rf
 * ~"`).
 */
function maskedForDecision(entry: JsonObject): JsonObject {
  const masker = maskerOf(entry, []);
  return mapPair(maskedEntry(entry), entry, (text, own) =>
    isProgramText(own) || isSuspicious(own) ? masker.maskValues(own) : text,
  ) as JsonObject;
}

/** Maps the texts of a masked value with `make`, which also receives the unmasked text. */
function mapPair(masked: unknown, own: unknown, make: (masked: string, own: string) => string): unknown {
  if (typeof masked === 'string') return typeof own === 'string' ? make(masked, own) : masked;
  if (typeof masked !== 'object' || masked === null) return masked;
  const raw = Object(own) as Record<string, unknown>;
  const members = Object.entries(masked).map(([key, item]) => [key, mapPair(item, raw[key], make)] as const);
  return Array.isArray(masked) ? members.map(([, item]) => item) : Object.fromEntries(members);
}

/**
 * Index of the argument that names the package of a package runner, which is never masked: `npx --token other-package`
 * runs other-package.
 */
export function packageArgument({ command, args }: JsonObject): number {
  const isRun = typeof command === 'string' && runnerOf(command) !== undefined && Array.isArray(args);
  return isRun ? packagePlace(command, wordsOf(args)) : -1;
}

function isProgramText(word: string): boolean {
  return /[;|&`\n]|\$\(/.test(word) && /\s/.test(word);
}

/** A sentence of ours about an entry, with its secrets as `***`. */
export function maskedSentence(sentence: string, ...entries: readonly (JsonObject | undefined)[]): string {
  return entries.reduce((text, entry) => (entry === undefined ? text : maskerOf(entry, []).maskValues(text)), sentence);
}

/** Both sides of a change with their secrets as `***`; a secret whose value changed is marked as such. */
export function maskedChange<Entry extends JsonObject | undefined>(
  before: JsonObject | undefined,
  entry: Entry,
): { readonly before: JsonObject | undefined; readonly entry: Entry };
export function maskedChange(
  before: JsonObject | undefined,
  entry: JsonObject | undefined,
): { readonly before: JsonObject | undefined; readonly entry: JsonObject | undefined } {
  if (entry === undefined) return { before: before && maskedForDecision(before), entry };
  if (before === undefined) return { before, entry: maskedForDecision(entry) };
  const [was, is] = [maskedForDecision(before), maskedForDecision(entry)];
  const marked = (value: unknown, other: unknown, raw: unknown, otherRaw: unknown): unknown => {
    if (typeof value === 'string') return value === other && raw !== otherRaw ? `${value} (different value)` : value;
    if (typeof value !== 'object' || value === null) return value;
    const [theirs, own, before] = [other, raw, otherRaw].map((one) => Object(one) as Record<string, unknown>);
    const members = Object.entries(value).map(
      ([key, item]) => [key, marked(item, theirs?.[key], own?.[key], before?.[key])] as const,
    );
    return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
  };
  return { before: was, entry: marked(is, was, entry, before) as JsonObject };
}

/**
 * Access that the new launch configuration gains over the current one, one sentence each: folders, hosts, another
 * package, another server's launch. Empty if the current entry starts nothing. `foundAs`: the server's name where it
 * was found.
 */
export function moreReach(own: JsonObject, entry: JsonObject, server: string, foundAs: string): readonly string[] {
  if (typeof own['command'] !== 'string' && typeof own['url'] !== 'string') return [];
  const before = reachedBy(own);
  const gained = reachedBy(entry).filter((place) => !before.some((known) => isWithin(place, known)));
  const [was, is] = [own, entry].map(packageOf);
  const shown = (text: string): string => markInvisible(new Masker().maskText(text));
  return [
    ...(foundAs.toLowerCase() === server.toLowerCase()
      ? []
      : [`It is the launch of a different server, ${shown(foundAs)}.`]),
    ...(gained.length === 0 ? [] : [`It can access more than now: ${[...new Set(gained)].map(shown).join(', ')}.`]),
    ...(was !== undefined && is !== undefined && was !== is
      ? [`It runs a different package, ${shown(is)} instead of ${shown(was)}.`]
      : []),
    ...entryConsequences(own, entry).flatMap(({ text, isGrave }) => (isGrave ? [text] : [])),
  ];
}

/** Folders, files and addresses that an entry names besides the program itself. */
function reachedBy(entry: JsonObject): readonly string[] {
  const { url, command, cwd } = entry;
  if (typeof url === 'string') return [URL.canParse(url) ? new URL(url).host : url];
  const subject = typeof command === 'string' ? launchSubject(entry) : undefined;
  const words = wordsOf(entry['args']);
  const named = words.flatMap((word, at) => {
    if (word === subject) return [];
    const flag = [word, words[at - 1] ?? ''].find((one) => one.startsWith('-')) ?? '';
    return placesIn(word, flag);
  });
  const variables = Object.entries(objectOrEmpty(entry['env'])).flatMap(([name, value]) =>
    typeof value === 'string' && !isSecretName(name) && name.toUpperCase() !== 'PATH' ? placesIn(value, name) : [],
  );
  return [...named, ...variables, ...(typeof cwd === 'string' ? [cwd] : [])];
}

const path = /^(?:[/\\~]|\.\.?(?:[\\/]|$)|[A-Za-z]:[\\/]|\$(?:HOME|\{(?:env:)?HOME\})|%\w+%)/i;
const namesHost = /host|domain|origin|site|url|endpoint|server/i;

function placesIn(text: string, label: string): readonly string[] {
  return text.split(/[=,;]|(?<=^[/~][^:]*):(?=[/\w])/).flatMap((piece) => {
    const word = piece.replace(/^-[A-Za-z](?=[/~])/, '');
    if (URL.canParse(word) && /^[a-z][\w+.-]+:\/\//i.test(word)) {
      const { protocol, host, pathname } = new URL(word);
      return [protocol === 'file:' ? pathname : host];
    }
    const isHost = namesHost.test(label) && /^(?:localhost|\*|(?:[\w*-]+\.)+[\w-]+)(?::\d+)?$/.test(word);
    return path.test(word) || isHost ? [word] : [];
  });
}

/** `/a/b` is within `/a`; a path with `..` is only within itself. */
function isWithin(place: string, known: string): boolean {
  const [one, other] = [place, known].map((text) => (text.length > 1 ? text.replace(/[\\/]+$/, '') : text)) as [
    string,
    string,
  ];
  if (one === other) return true;
  if (!path.test(other) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(one)) return false;
  return one.startsWith(/[\\/]$/.test(other) ? other : `${other}${other.includes('\\') ? '\\' : '/'}`);
}

/** The package that a runner such as npx or uvx fetches, without its version. */
function packageOf(entry: JsonObject): string | undefined {
  const { command } = entry;
  if (typeof command !== 'string' || runnerOf(command) === undefined) return undefined;
  const words = wordsOf(entry['args']);
  return words[packagePlace(command, words)] === undefined ? undefined : launchSubject(entry);
}

function wordsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as unknown[]).map(String) : [];
}
