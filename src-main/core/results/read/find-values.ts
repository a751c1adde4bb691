/** Values of a document by JSONPath (RFC 9535). */
import { JSONPathEnvironment, JSONPathError, type JSONPathNode, type JSONValue } from 'json-p3';
import { AppError } from '../../base/errors.ts';
import type { Location } from './document.ts';

export interface FoundValue {
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
