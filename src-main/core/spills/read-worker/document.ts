/** A spill as data: parsed from JSON or TOON. Numbers that JavaScript would change keep their spelling. */
import { isObject, tryParseJson } from '../../base/json.ts';
import { JSONPathEnvironment, JSONPathError, type JSONPathNode, type JSONValue } from 'json-p3';
import { AppError, errorText } from '../../base/errors.ts';
import { fromToon } from '../toon.ts';
import { maxDocumentBytes, type ReadTarget, readWindow } from './reader-messages.ts';

export type Location = readonly (string | number)[];

export interface Document {
  readonly value: unknown;
  /** The same with numbers in their original spelling; undefined if `value` loses nothing. */
  readonly spelled: unknown;
  /** The value at a location, as compact JSON. */
  spell(location: Location, value: unknown): string;
}

/** Integers of 16 digits and more, and exponents that may exceed a double: numbers that JSON.parse would change. */
const lossyNumber = /(?<![\w".])\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;

/** Throws AppError unsupported for a file that is too large or not data. */
export function readDocument(target: ReadTarget): Document {
  if (target.bytes > maxDocumentBytes) throw tooLargeError(target);
  // Editors add a byte order mark, which JSON does not allow.
  const text = (target.text ?? readWindow(target.fd, 0, target.bytes).toString('utf8')).replace(/^\ufeff/, '');
  if (target.kind === 'toon') return plain(parsed(target, () => fromToon(text)));
  const value = parsed(target, () => JSON.parse(text) as unknown);
  // Reading every number's spelling takes about five times as long.
  const spelled = lossyNumber.test(text) ? tryParseJson(text) : undefined;
  if (spelled === undefined) return plain(value);
  return { value, spelled, spell: (location) => JSON.stringify(valueAt(spelled, location)) };
}

function plain(value: unknown): Document {
  return { value, spelled: undefined, spell: (_location, found) => JSON.stringify(found) };
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
    throw new AppError('unsupported', `The file holds no ${notation} that can be queried: ${reason}.`, {
      fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
      cause: error,
    });
  }
}

function tooLargeError({ bytes }: ReadTarget): AppError {
  const limit = maxDocumentBytes / 1024 / 1024;
  const size = Math.ceil(bytes / 1024 / 1024);
  return new AppError('unsupported', `The file has ${size} MB; up to ${limit} MB can be read as data.`, {
    fix: "For any size, use op='grep', 'head', 'tail', 'slice' and 'read'; op='sql' reads CSV and NDJSON to 256 MB.",
  });
}

// Selects values of a document by JSONPath (RFC 9535).

export interface FoundValue {
  readonly location: Location;
  readonly value: unknown;
}

/**
 * Yields values one by one, so that a path with endless matches uses time but no memory. Throws AppError
 * `bad_request`.
 */
export function* findValues(path: string, value: unknown): Generator<FoundValue, void, undefined> {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: Number.MAX_SAFE_INTEGER });
  try {
    for (const node of environment.lazyQuery(withRoot(path), value as JSONValue)) yield foundValue(node);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    const reason = error.message.slice(0, 200);
    throw new AppError('bad_request', `"${path.slice(0, 200)}" is not a valid JSONPath: ${reason}.`, {
      fix: aggregates.test(path) ? useSql : 'Examples: $.items[*].name, $..id or $.items[?@.price > 10].',
      cause: error,
    });
  }
}

/** Functions written by callers who want a number, not values: JSONPath allows functions only in filters. */
const aggregates = /\b(?:count|length|len|size|sum|avg|min|max|distinct|unique|group_?by|sort|order_?by)\b\s*\(/i;
const useSql = "JSONPath cannot count. Use op='sql', query='SELECT count(*) FROM rows WHERE …'.";

/** Formats a location as a path that a model reads: `$.items[0].name`. */
export function formatPath(location: Location): string {
  return `$${location.map(keyText).join('')}`;
}

/** Models omit the root. */
function withRoot(path: string): string {
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

/** The main list of a document: itself, or the longest near its root. */
interface Records {
  readonly location: Location;
  readonly values: readonly unknown[];
}

const maxRecordDepth = 4;

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
  else if (isObject(value) && location.length < maxRecordDepth) {
    for (const [key, member] of Object.entries(value)) yield* lists(member, [...location, key]);
  }
}
