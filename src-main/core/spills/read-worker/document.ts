/** A kept answer as data: read from JSON or TOON, with the numbers that would change in another spelling known as they stand. */
import { isObject, jsonIn } from '../../base/json.ts';
import { JSONPathEnvironment, JSONPathError, type JSONPathNode, type JSONValue } from 'json-p3';
import { AppError, errorText } from '../../base/errors.ts';
import { fromToon } from '../toon.ts';
import { longestDocument, type ReadTarget, readWindow } from './reader-messages.ts';

export type Location = readonly (string | number)[];

export interface Document {
  readonly value: unknown;
  /** The value at a place, as compact JSON. */
  spell(location: Location, value: unknown): string;
}

/** Reading every number's spelling takes about five times as long; longer texts are spared that. */
const longestSpelled = 64 * 1024 * 1024;

/** Integers of 16 digits and more, and exponents that may be beyond a double: what JSON.parse would change in value. */
const lossyNumber = /(?<![\w".])\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;

/** Throws AppError unsupported for a file that is too big, or no data. */
export function readDocument(target: ReadTarget): Document {
  if (target.bytes > longestDocument) throw tooBig(target);
  // Editors put a mark in front that JSON does not know.
  const text = readWindow(target.fd, 0, target.bytes).toString('utf8');
  return documentOf(target, text.replace(/^\ufeff/, ''));
}

/** Of the file's text, or of a part of it. Throws AppError unsupported for what is no data. */
export function documentOf(target: Pick<ReadTarget, 'kind'>, text: string): Document {
  if (target.kind === 'toon') return plain(parsed(target, () => fromToon(text)));
  const value = parsed(target, () => JSON.parse(text) as unknown);
  const spelled = text.length <= longestSpelled && lossyNumber.test(text) ? jsonIn(text) : undefined;
  if (spelled === undefined) return plain(value);
  return { value, spell: (location) => JSON.stringify(valueAt(spelled, location)) };
}

function plain(value: unknown): Document {
  return { value, spell: (_location, found) => JSON.stringify(found) };
}

function valueAt(value: unknown, location: Location): unknown {
  return location.reduce((at, key) => (at as Record<string | number, unknown>)[key], value);
}

function parsed(target: Pick<ReadTarget, 'kind'>, parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    const notation = target.kind === 'toon' ? 'TOON' : 'JSON';
    const reason = errorText(error).slice(0, 200);
    throw new AppError('unsupported', `The file holds no ${notation} that could be asked: ${reason}.`, {
      fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
      cause: error,
    });
  }
}

export function tooBig({ bytes }: ReadTarget): AppError {
  const limit = longestDocument / 1024 / 1024;
  const size = Math.ceil(bytes / 1024 / 1024);
  return new AppError('unsupported', `The file has ${size} MB; up to ${limit} MB can be asked like this.`, {
    fix: "On any size work op='query' with a path from the top such as $.items[0:100] or $.items[?@.id == 7], and op='grep', 'head', 'tail', 'slice', 'read'.",
  });
}

// Values of a document by JSONPath (RFC 9535).

interface FoundValue {
  readonly location: Location;
  readonly value: unknown;
}

/** A value that was selected, as compact JSON. */
export interface SpelledValue {
  readonly location: Location;
  /** Of a long one the beginning may do. */
  readonly line: string;
  /** Size of all of it (UTF-8). */
  readonly bytes: number;
}

/** Values are found one after the other: a path that selects without end takes time and no memory. Throws AppError bad_request. */
export function* findValues(path: string, value: unknown): Generator<FoundValue, void, undefined> {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: Number.MAX_SAFE_INTEGER });
  try {
    for (const node of environment.lazyQuery(rooted(path), value as JSONValue)) yield foundValue(node);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    const reason = error.message.slice(0, 200);
    throw new AppError('bad_request', `"${path.slice(0, 200)}" is no JSONPath: ${reason}.`, {
      fix: 'Write it like $.items[*].name, $..id or $.items[?@.price > 10].',
      cause: error,
    });
  }
}

/** As a model reads it in a path: `$.items[0].name`. */
export function pathText(location: Location): string {
  return `$${location.map(keyText).join('')}`;
}

/** Throws AppError bad_request for what is no JSONPath. */
export function requirePath(path: string): void {
  for (const _ of findValues(path, null)) return;
}

/** Models leave the root away. */
export function rooted(path: string): string {
  const trimmed = path.trim();
  if (trimmed.startsWith('$')) return trimmed;
  if (trimmed === '' || trimmed === '.') return '$';
  return /^[.[]/.test(trimmed) ? `$${trimmed}` : `$.${trimmed}`;
}

function foundValue({ location, value }: JSONPathNode): FoundValue {
  return { location, value };
}

function keyText(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** The list that an answer is about: itself, or the longest near its top. */
export interface Records {
  readonly location: Location;
  readonly values: readonly unknown[];
}

const deepest = 4;

export function findRecords(value: unknown): Records | undefined {
  let best: Records | undefined;
  for (const found of lists(value, [])) {
    if (best === undefined || found.values.length > best.values.length) best = found;
  }
  return best;
}

/** Lists inside of lists are parts of records. */
function* lists(value: unknown, location: Location): Generator<Records, void, undefined> {
  if (Array.isArray(value)) yield { location, values: value };
  else if (isObject(value) && location.length < deepest) {
    for (const [key, member] of Object.entries(value)) yield* lists(member, [...location, key]);
  }
}
