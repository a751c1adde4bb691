/** Parameters of Magg's tools. Each throws AppError bad_request where the value is of the wrong kind. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, parseJson, plainNumber } from '../../base/json.ts';

export function readText(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw wrong(key, 'a text');
}

export function requireText(input: JsonObject, key: string): string {
  const value = readText(input, key);
  if (value !== undefined) return value;
  throw new AppError('bad_request', `'${key}' is required.`, { fix: 'Give it as a text.' });
}

/** An object, or its JSON text. */
export function readObject(input: JsonObject, key: string): JsonObject | undefined {
  const value = input[key];
  if (value === undefined || value === null || value === '') return undefined;
  const object = typeof value === 'string' ? parsed(value) : value;
  if (isObject(object)) return object;
  throw wrong(key, 'an object or its JSON text');
}

export function readNumber(input: JsonObject, key: string, otherwise: number): number {
  const value = plainNumber(input[key]) ?? otherwise;
  if (typeof value === 'number' && value > 0) return value;
  throw wrong(key, 'a number above 0');
}

export function readWord<T extends string>(input: JsonObject, key: string, words: readonly [T, ...T[]]): T {
  const value = readText(input, key) ?? words[0];
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw wrong(key, `one of ${words.join(', ')}`);
}

function parsed(value: string): unknown {
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}

function wrong(key: string, expected: string): AppError {
  return new AppError('bad_request', `'${key}' is not ${expected}.`, { fix: 'Correct it.' });
}
