/** Masks secrets in texts and objects for users, logs and models: by name, by shape, and by value. */
import { isPrefixedKey, prefixedKeyPattern, privateKeyPattern } from './secret-patterns.ts';
import { compileSecretMatchers, type SecretMatchers } from './secret-matchers.ts';

// Masks secrets in free text: values after a secret name (`token=...`, `"apiKey": "..."`), then values with the shape
// of a secret.

/**
 * A name, its closing quote, and what leads to its value: `=`, `:`, `=>`, `>` of XML, or a space after a `--flag`. The
 * look-behind lets a name start only at its first character, so that a long run of letters is scanned once. Here and
 * below, unbounded loops have no minimum (`+`, `{8,}`): in a process that has compiled a megabyte of patterns, V8
 * interprets further ones, and such a loop then uses 16 bytes of a 64 MB stack per character, while `*` uses none.
 */
const named =
  /(?<![\w.-])([\w.-][\w.-]*)(\\{0,7}["'`]?)([ \t]{0,8}(?:=>|:=|[:=]|>)[ \t]{0,8}|[ \t]{1,8}|[ \t]{0,8},[ \t]{0,8}(?=\\{0,7}["']))/g;

/** On their own these are everyday words (`key: Enter`), so they need a clearer sign than a colon. */
const everyday = /^(?:key|pass|auth|pat|sid|sig)$/i;

/** Headers whose value is the rest of the line, including spaces. */
const wholeLine = /authorization$|cookies?$/i;

/**
 * A reference, optionally after the scheme of a header: `Bearer ${env:NAME}`. A default (`${env:NAME:-value}`) may
 * itself be the secret.
 */
const placeholder =
  /^(?:(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey) +)?\$\{[\w.]+(?::[\w.][\w.-]*)?\}|-default\}\.?|\$[A-Z_]+|true|false|null|undefined|\*{3}|<[\w -]+>)[,;)}\]]*$/;
const number = /^-?\d{1,15}(?:\.\d+)?[,;)}\]]*$/;

/** The text with every secret replaced by `***`. Takes linear time. */
export function maskText(text: string): string {
  return maskShapes(maskNamed(text));
}

/**
 * For our own sentences: masks only secrets with a known shape. A name such as `Authorization` or
 * `${env:API_KEY}` before a colon is the subject of the sentence, not followed by a value.
 */
export function maskValues(text: string): string {
  return maskShapes(text);
}

/** Whether a value may be shown despite its secret name: a boolean, `${env:NAME}`, a count (`tokens: 5`). */
function isPlaceholder(name: string, value: string): boolean {
  return value.length < 200 && (placeholder.test(value) || (/s$/i.test(name) && number.test(value)));
}

function maskNamed(text: string): string {
  const pattern = new RegExp(named);
  let out = '';
  let done = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, name = '', quote = '', link = ''] = match;
    const valueStart = match.index + whole.length;
    const value = leadsToSecret(text, match.index, name, quote, link) ? findValue(text, match, valueStart) : undefined;
    if (value === undefined) continue;
    out += text.slice(done, value.start) + maskPlaceholder;
    done = value.end;
    pattern.lastIndex = value.end;
  }
  return done === 0 ? text : out + text.slice(done);
}

function leadsToSecret(text: string, index: number, name: string, quote: string, link: string): boolean {
  if (!isSecretName(name)) return false;
  // `${secret:NAME}` refers to a secret without containing it.
  if (text.slice(Math.max(0, index - 2), index) === '${') return false;
  const isFlag = name.startsWith('--');
  if (link.includes(',') || link.trim() === '') return isFlag;
  if (link.trim() === '>') return text[index - 1] === '<';
  return !(everyday.test(name) && quote === '' && link.endsWith(' '));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the start and end of the value, without its quotes; undefined if there is nothing to mask. */
function findValue(text: string, match: RegExpExecArray, from: number): Span | undefined {
  const opening = /\\{0,7}["'`]/y;
  opening.lastIndex = from;
  const quote = opening.exec(text)?.[0];
  const start = from + (quote?.length ?? 0);
  const end = quote === undefined ? bareEnd(text, match, from) : closingQuote(text, quote, start);
  return start === end || isPlaceholder(match[1] ?? '', text.slice(start, Math.min(end, start + 200)))
    ? undefined
    : { start, end };
}

/** The closing quote of a string, also inside JSON strings (`\"`, `\\\"`); without one, the end of the text. */
function closingQuote(text: string, quote: string, start: number): number {
  const depth = quote.length - 1;
  const character = quote.at(-1) ?? '"';
  for (let at = text.indexOf(character, start); at !== -1; at = text.indexOf(character, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes >= start && text[at - 1 - slashes] === '\\') slashes++;
    // At depth 0 an even number of backslashes before the quote belong to the value.
    if (depth === 0 ? slashes % 2 === 0 : slashes <= depth) return at - Math.min(slashes, depth);
  }
  return text.length;
}

/** Returns the end of an unquoted value: the next space, quote or bracket that cannot be part of one. */
function bareEnd(text: string, match: RegExpExecArray, from: number): number {
  const [, name = '', quote = ''] = match;
  if (quote !== '' && /[[{]/.test(text[from] ?? '')) return bracketEnd(text, from);
  const stop = bareStop(name, quote, text[match.index - 1] ?? '');
  stop.lastIndex = from;
  return stop.exec(text)?.index ?? text.length;
}

function bareStop(name: string, quote: string, before: string): RegExp {
  if (quote !== '') return /[\s"'`,\]}]/g;
  // A header inside quotes (curl -H "Cookie: a=b") ends with them.
  if (wholeLine.test(name)) return /["'`]/.test(before) ? new RegExp(`[\\r\\n${before}]`, 'g') : /[\r\n]/g;
  return /[?&;#]/.test(before) ? /[\s"'`<>&#]/g : /[\s"'`<>]/g;
}

/** The end of a JSON list or object after a secret name; strings in it may contain brackets. */
function bracketEnd(text: string, from: number): number {
  const marks = /["[\]{}]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    if (found[0] === '"') marks.lastIndex = closingQuote(text, '"', marks.lastIndex) + 1;
    else depth += found[0] === '[' || found[0] === '{' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

const maxDepth = 20;

/** A copy for JSON with its secrets masked: errors with their causes, cycles, maps and buffers included. */
export function maskObject(value: unknown): unknown {
  return new Masker().maskObject(value);
}

/** Masks like maskText and maskObject, and also every known secret value, wherever it occurs. */
export class Masker {
  #searched: SecretMatchers = compileSecretMatchers([]);

  constructor(secrets: Iterable<string> = []) {
    this.setSecrets(secrets);
  }

  /** Replaces the known secrets. */
  setSecrets(secrets: Iterable<string>): void {
    this.#searched = compileSecretMatchers(secrets);
  }

  /** A snapshot of the known secrets, which can be sent to another thread. */
  get matchers(): SecretMatchers {
    return this.#searched;
  }

  /** Creates a masker that shares another one's `known` secrets. */
  static fromMatchers(known: SecretMatchers): Masker {
    const masker = new Masker();
    masker.#searched = known;
    return masker;
  }

  maskText(text: string): string {
    return maskText(this.#maskLiterals(text));
  }

  /** Masks like `maskValues`, plus every registered secret value. */
  maskValues(text: string): string {
    return maskValues(this.#maskLiterals(text));
  }

  maskObject(value: unknown): unknown {
    return this.#copy(value, undefined, []);
  }

  #maskLiterals(text: string): string {
    const { anywhere, asWords } = this.#searched;
    const masked = anywhere.reduce((rest, literal) => rest.replaceAll(literal, maskPlaceholder), text);
    return asWords === undefined ? masked : masked.replace(asWords, maskPlaceholder);
  }

  /** `name`: the secret name above this value, at any depth; `above`: the objects that contain it. */
  #copy(value: unknown, name: string | undefined, above: readonly object[]): unknown {
    if (typeof value === 'string') return this.#maskValue(value, name);
    if (typeof value === 'number' || typeof value === 'bigint') {
      return name === undefined || isPlaceholder(name, String(value)) ? jsonNumber(value) : maskPlaceholder;
    }
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
    if (typeof value !== 'object' || value === null) return value;
    if (JSON.isRawJSON(value)) return name === undefined ? value : maskPlaceholder;
    if (above.includes(value)) return '[circular]';
    if (above.length >= maxDepth) return '[too deep]';
    return this.#copyObject(value, name, [...above, value]);
  }

  #copyObject(value: object, name: string | undefined, above: readonly object[]): unknown {
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Date || value instanceof URL) return this.#copy(String(value), name, above);
    if (value instanceof Set) return this.#copyList([...(value as Set<unknown>)], name, above);
    if (Array.isArray(value)) return this.#copyList(value, name, above);
    const entries = value instanceof Map ? [...(value as Map<unknown, unknown>)] : ownEntries(value);
    const pairName = nameOfPair(entries);
    // fromEntries defines each key, so that `__proto__` stays an ordinary one.
    return Object.fromEntries(
      entries.map(([key, item]) => {
        const keyText = String(key);
        const itemName = pairName === undefined ? keyText : keyText === 'value' ? pairName : '';
        return [this.maskText(keyText), this.#copy(item, isSecretName(itemName) ? itemName : name, above)];
      }),
    );
  }

  #copyList(items: readonly unknown[], name: string | undefined, above: readonly object[]): unknown[] {
    return items.map((item, index) => {
      const before = items[index - 1];
      const flag = typeof before === 'string' && before.startsWith('-') && !before.includes('=') ? before : '';
      return this.#copy(item, isSecretName(flag) ? flag : name, above);
    });
  }

  #maskValue(value: string, name: string | undefined): string {
    if (name === undefined) return this.maskText(value);
    return value === '' || isPlaceholder(name, value) ? value : maskPlaceholder;
  }
}

/** Longer texts rarely repeat, so they are not cached. */
const maxCachedTextLength = 200;
const maxCachedTexts = 500;

/**
 * Masks like `masker`, with a cache: names repeat from call to call, and masking them would be most of the work of
 * recording them.
 */
export class CachingMasker {
  readonly #masker: Pick<Masker, 'maskText' | 'matchers'>;
  readonly #masked = new Map<string, string>();
  #known: SecretMatchers | undefined;

  constructor(masker: Pick<Masker, 'maskText' | 'matchers'>) {
    this.#masker = masker;
  }

  maskText(text: string): string {
    if (this.#known !== this.#masker.matchers || this.#masked.size >= maxCachedTexts) this.#masked.clear();
    this.#known = this.#masker.matchers;
    const known = this.#masked.get(text);
    if (known !== undefined) return known;
    const masked = this.#masker.maskText(text);
    if (text.length <= maxCachedTextLength) this.#masked.set(text, masked);
    return masked;
  }
}

function ownEntries(value: object): [string, unknown][] {
  const entries = Object.keys(value).map((key): [string, unknown] => [key, read(value, key)]);
  if (!(value instanceof Error)) return entries;
  // Members of an error are not enumerable; without this it would be logged as {}.
  const said = ['name', 'message', 'stack', 'cause'].map((key): [string, unknown] => [key, read(value, key)]);
  return [...said.filter(([, item]) => item !== undefined), ...entries.filter(([key]) => key !== 'name')];
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return '[unreadable]';
  }
}

/** In {name: "X-Api-Key", value: "..."} (or `key` for `name`) the name is a value, and names the other value. */
function nameOfPair(entries: readonly (readonly [unknown, unknown])[]): string | undefined {
  const named = entries.find(([key]) => key === 'name' || key === 'key')?.[1];
  return typeof named === 'string' && entries.some(([key]) => key === 'value') ? named : undefined;
}

function jsonNumber(value: number | bigint): number | string {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The replacement for a masked secret. */
export const maskPlaceholder = '***';

// Decides which names (of variables, headers, flags, JSON keys) belong to a secret.

/** Words that make a name secret: X-Api-Key, DB_PASS, sessionCookie. */
const secretWords = new Set(
  `key auth authorization bearer cookie cookies credential credentials jwt otp pass passcode passphrase passwd password
   passwords pat pwd secret secrets sid sig signature token tokens totp`.split(/\s+/),
);

/** Endings of secret names written as one word: githubtoken, PGPASSWORD, xapikey, api-keys. */
const secretEnd =
  /(?:token|secret|password|passwd|passphrase|credential|(?:api|access|secret|private|auth|signing)key)s?$/;

/** Endings of names that are about a secret without containing it: token_type, keyFile, AWS_ACCESS_KEY_ID, tokensIn. */
const harmlessEnds = new Set(
  `algorithm budget count counts dir estimated expires expiry file files id ids in length limit max method min mode name
   names out path paths size status ttl type types uri url urls usage used version`.split(/\s+/),
);

/** Pairs of last words that are not secret although one of them alone would be. */
const harmlessPairs = new Set(
  `cachekey foreignkey inputtokens maxtokens outputtokens primarykey progresstoken publickey signature sortkey totaltokens`.split(
    ' ',
  ),
);

/** Whether a value with this name is probably a secret. Ignores case and spelling (snake, kebab, camel, dotted). */
export function isSecretName(name: string): boolean {
  const words = nameWords(name);
  const last = words.at(-1);
  if (last === undefined || harmlessEnds.has(last) || harmlessPairs.has(words.slice(-2).join(''))) return false;
  return words.some((word) => secretWords.has(word)) || secretEnd.test(words.join(''));
}

/** The words of a name in lower case, without digits: `GITHUB_TOKEN_2` has github and token. */
function nameWords(name: string): string[] {
  // A longer text is not a name; only its end precedes the value.
  const words = name.slice(-200).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

// Secrets recognized by their shape, regardless of their name. Every pattern is linear.

/** Words after "Bearer" in sentences and challenges (`Bearer realm="x"`), which are not tokens. */
const proseAfterBearer =
  /^(?:auth\w*|credentials?|headers?|realm|schemes?|tokens?|error|scope|and|as|for|from|in|is|not|only|or|required|was|with)\b|^\w\w*="/i;

interface Shape {
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: string[]) => string;
}

/** Masks secrets with a known shape. */
function maskShapes(text: string): string {
  let masked = text;
  for (const { pattern, replace } of shapes) masked = masked.replace(pattern, replace);
  return masked;
}

const shapes: readonly Shape[] = [
  { pattern: privateKeyPattern, replace: () => maskPlaceholder },
  {
    pattern: /\bBearer[ \t]{1,8}([\w.~+/=-][\w.~+/=-]*"?)/gi,
    replace: (match, value = '') =>
      proseAfterBearer.test(value) ? match : `Bearer ${maskPlaceholder}${quoteEnd(value)}`,
  },
  {
    pattern: /\bBasic[ \t]{1,8}([A-Za-z0-9+/_-]{6}[A-Za-z0-9+/_-]*={0,2})/gi,
    replace: (match, value = '') => (isUserAndPassword(value) ? `Basic ${maskPlaceholder}` : match),
  },
  // Up to the last @ before the path, because passwords are often pasted into URLs unencoded.
  {
    pattern: /:\/\/[^\s/?#:"'<>]{0,200}:[^\s/"'<>]{0,2000}@/g,
    replace: (match) => `${userPart(match)}:${maskPlaceholder}@`,
  },
  {
    pattern: /\b(https?:\/\/)[^\s/?#:@"'<>]{1,2000}@/gi,
    replace: (_match, scheme = '') => `${scheme}${maskPlaceholder}@`,
  },
  { pattern: prefixedKeyPattern, replace: (match) => (isPrefixedKey(match) ? maskPlaceholder : match) },
];

function quoteEnd(value: string): string {
  return value.endsWith('"') ? '"' : '';
}

function userPart(match: string): string {
  return match.slice(0, match.indexOf(':', 3));
}

/** Basic credentials are base64 of `user:password`; words after "basic" are not. */
function isUserAndPassword(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

// Determines which values of a server's variables or headers are secrets that a Masker should know.

/**
 * The secret values among these, for `new Masker(...)`: `NODE_ENV=production` must not mask "production" everywhere.
 */
export function secretValues(entries: Readonly<Record<string, string>>): string[] {
  return Object.entries(entries)
    .filter(([name, value]) => isSecretName(name) || maskText(value) !== value || looksRandom(value))
    .map(([, value]) => value);
}

/** Long, without spaces or path separators, letters and digits: probable secrets under unknown names. */
function looksRandom(value: string): boolean {
  return value.length >= 20 && /^[\w.~+=-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/**
 * The likely secrets in the address and the arguments of a launch that no name marks as such: opaque keys in the path
 * or query of a URL, or on their own. A value after a long flag has a name, which decides instead. `plainArgument`:
 * index of an argument that is never a secret.
 */
export function opaqueSecrets(
  { url, args }: { readonly url?: unknown; readonly args?: unknown },
  plainArgument = -1,
): string[] {
  const words = Array.isArray(args) ? (args as unknown[]) : [];
  const inWords = words.flatMap((word, at) => {
    const before = words[at - 1];
    const isNamed = typeof before === 'string' && /^--[^=]*$/.test(before);
    return typeof word !== 'string' || at === plainArgument ? [] : opaqueParts(word, !isNamed);
  });
  return [...(typeof url === 'string' ? opaqueParts(url, false) : []), ...inWords];
}

/** `mayBeWhole`: whether the text itself may be a key. */
function opaqueParts(text: string, mayBeWhole: boolean): string[] {
  const [, place] = /^[a-z][\w+.-]{0,30}:\/\/[^/?#]*(.*)$/is.exec(text) ?? [];
  if (place !== undefined) return place.split(/[/?&=#;]/).filter(isOpaque);
  const value = /^[A-Za-z_][\w-]{0,100}(?:=|: ?)(.*)$/s.exec(text)?.[1] ?? text;
  return (mayBeWhole || value !== text) && isOpaque(value) ? [value] : [];
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether the kind of character (digit, small, capital) changes within its words as often as in random text only. */
function isOpaque(text: string): boolean {
  if (text.length < 16 || text.length > 4096 || !/^[\w.~+%-]*$/.test(text) || !/\d/.test(text)) return false;
  const changes = text.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return uuid.test(text) || changes >= text.length / 4;
}
