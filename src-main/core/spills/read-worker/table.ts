/** Op schema: the structure of data: keys with their types, lengths of lists, ranges of numbers. */
import { AppError } from '../../base/errors.ts';
import type { SpillQueryResult } from '../spill-queries.ts';
import { type Document, findValues, type FoundValue } from './document.ts';
import { truncateToBytes } from './reader-messages.ts';
import { schemaLines, shapeOf } from '../value-shape.ts';

/** Throws AppError `bad_request` for an invalid path, `not_found` if it selects nothing. */
export function describeShape(document: Document, path: string | undefined, maxBytes: number): SpillQueryResult {
  const found = path === undefined ? [{ value: document.value }] : valuesAt(document, path);
  const shape = shapeOf(found.map(({ value }) => value));
  const many = found.length > 1 ? [`${found.length} values match; together they are:`] : [];
  const text = [...many, ...schemaLines(shape)].join('\n');
  const fields = { ...(path !== undefined && { path }) };
  const cut = truncateToBytes(text, maxBytes);
  if (cut === text) return { text, fields, truncated: false };
  const whole = cut.slice(0, cut.lastIndexOf('\n'));
  const note = `[TRUNCATED at ${maxBytes} bytes; use a path to show a part: path='$.items[0]']`;
  return { text: `${whole}\n${note}`, fields, truncated: true };
}

/** Maximum number of values of a path that are examined. */
const maxSelected = 100_000;

/** The values that a path selects, at least one. Throws AppError `bad_request`, `not_found`. */
function valuesAt({ value }: Document, path: string): readonly FoundValue[] {
  const found: FoundValue[] = [];
  for (const one of findValues(path, value)) if (found.push(one) >= maxSelected) break;
  if (found.length > 0) return found;
  throw new AppError('not_found', `No value at "${path.slice(0, 200)}".`, {
    fix: "op='schema' without a path shows the structure.",
  });
}
