/** Single inputs of `proxy-dispatch`, as models write them: numbers and booleans may come as text. */
import { AppError } from '../../base/errors.ts';
import { type JsonObject, plainNumber } from '../../base/json.ts';

/** The first of these keys that holds a text, with the text trimmed. */
export function readFirst(input: JsonObject, keys: readonly string[]): { key: string; text: string } | undefined {
  for (const key of keys) {
    const value = input[key];
    if (typeof value === 'string' && value.trim() !== '') return { key, text: value.trim() };
  }
  return undefined;
}

/** Throws AppError bad_request for anything that is no whole number of at least `least`. */
export function readCount(input: JsonObject, key: string, least: 0 | 1): number | undefined {
  const value = plainNumber(input[key]);
  if (value === undefined || value === null || value === '') return undefined;
  const count = typeof value === 'string' ? Number(value) : value;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= least) return count;
  throw new AppError('bad_request', `'${key}' is not a whole number of at least ${least}.`, { fix: 'Leave it away.' });
}

/** Throws AppError bad_request for what is neither yes nor no. */
export function readFlag(input: JsonObject, key: string, otherwise: boolean): boolean {
  const value = input[key];
  if (value === undefined || value === null) return otherwise;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new AppError('bad_request', `'${key}' is neither true nor false.`, { fix: 'Leave it away.' });
}

/** Whether list and search shall tell everything. Throws AppError bad_request for another format. */
export function wantsDetail(input: JsonObject): boolean {
  const format = readFirst(input, ['format'])?.text.toLowerCase() ?? 'compact';
  if (format === 'compact' || format === 'detail') return format === 'detail';
  throw new AppError('bad_request', `There is no format '${format}'.`, { fix: 'Formats: compact, detail.' });
}
