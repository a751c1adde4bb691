/** Op schema: what is inside of data: keys with their types, lengths of lists, ranges of numbers. */
import type { ResultAnswer } from '../result-files.ts';
import { AppError } from '../../base/errors.ts';
import type { Document } from './document.ts';
import { cutText } from './file-window.ts';
import { findValues } from './find-values.ts';
import { mergeShape, newShape, type Shape } from './shape.ts';
import { shapeLines } from './shape-text.ts';

/** Throws AppError bad_request for a path that is none, not_found where nothing is there. */
export function describeShape(document: Document, path: string | undefined, maxBytes: number): ResultAnswer {
  const { value } = valueAt(document, path);
  const shape: Shape = newShape();
  mergeShape(shape, value, 0);
  const text = shapeLines(shape).join('\n');
  const fields = { ...(path !== undefined && { path }) };
  const cut = cutText(text, maxBytes);
  if (cut === text) return { text, fields, truncated: false };
  const whole = cut.slice(0, cut.lastIndexOf('\n'));
  const note = `[TRUNCATED at ${maxBytes} bytes; a path shows a part alone: path='$.items[0]']`;
  return { text: `${whole}\n${note}`, fields, truncated: true };
}

/** The first value that a path selects; all of it where there is no path. */
export function valueAt(
  { value }: Document,
  path: string | undefined,
): { readonly location: readonly (string | number)[]; readonly value: unknown } {
  if (path === undefined) return { location: [], value };
  for (const found of findValues(path, value)) return found;
  throw new AppError('not_found', `Nothing is at "${path.slice(0, 200)}".`, {
    fix: "op='schema' without a path shows what there is.",
  });
}
