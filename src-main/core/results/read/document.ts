/** A kept answer as data: read from JSON or TOON, with the numbers that would change in another spelling known as they stand. */
import { AppError, errorText } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { fromToon } from '../toon.ts';
import { readWindow } from './file-window.ts';
import type { ReadTarget } from './reader-messages.ts';

export type Location = readonly (string | number)[];

export interface Document {
  readonly value: unknown;
  /** The value at a place, as compact JSON. */
  spell(location: Location, value: unknown): string;
}

export const longestDocument = 200 * 1024 * 1024;

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
  const spelled = text.length <= longestSpelled && lossyNumber.test(text) ? spelledValue(text) : undefined;
  if (spelled === undefined) return plain(value);
  return { value, spell: (location) => JSON.stringify(valueAt(spelled, location)) };
}

function plain(value: unknown): Document {
  return { value, spell: (_location, found) => JSON.stringify(found) };
}

/** undefined where it cannot be had: JSON nested too deep for it. */
function spelledValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
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
