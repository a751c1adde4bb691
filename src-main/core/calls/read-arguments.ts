/**
 * Reads the arguments for a tool from the input of a helper tool: an object or JSON text, under any of the four
 * accepted names.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, parseJson, toPlainNumber } from '../base/json.ts';

/** Names under which arguments are accepted. */
export const argumentKeys = ['arguments', 'args', 'args_json', 'params'] as const;
/** Names under which a tool's name is accepted. */
export const nameKeys = ['name', 'tool', 'tool_name', 'path'] as const;
/** Members that belong to the call itself; any other member may be a misplaced argument. */
export const callKeys: ReadonlySet<string> = new Set([...argumentKeys, ...nameKeys, 'server', 'connection', '_meta']);
const serverKeys = ['server', 'connection'] as const;

/** Throws AppError `bad_request` if the value is not an object, or if two keys contradict each other. */
export function readArguments(input: JsonObject): JsonObject | undefined {
  const given = argumentKeys.filter((key) => input[key] !== undefined && input[key] !== null);
  const values = given.map((key) => toObject(key, input[key]));
  return same(given, values);
}

/**
 * The arguments of a call by name, which have only one key. Throws AppError `bad_request` if they are not an object.
 */
export function namedArguments(given: unknown): JsonObject | undefined {
  return given === undefined || given === null ? undefined : toObject('arguments', given);
}

/** The tool's name, under any accepted key. Throws AppError `bad_request` if there is none, or more than one. */
export function readToolName(input: JsonObject): string {
  const name = readString(input, nameKeys);
  if (name !== undefined) return name;
  throw new AppError('bad_request', 'The tool name is missing.', { fix: 'Pass it as "name".' });
}

/** Throws AppError `bad_request` if two servers are named. */
export function readServerName(input: JsonObject): string | undefined {
  return readString(input, serverKeys);
}

/** Maximum length of names in the input of helper tools, in UTF-16 units; a path may be the URI of a resource. */
const maxNameLengths: readonly (readonly [key: string, length: number])[] = [
  ...['name', 'tool', 'tool_name', 'server', 'connection', 'server_name'].map((key) => [key, 1024] as const),
  ['path', 8192],
];

/**
 * Throws AppError `bad_request` if a name in the input of a helper tool is too long: names are looked up, compared and
 * repeated.
 */
export function checkNameLengths(input: JsonObject): void {
  for (const [key, length] of maxNameLengths) {
    const value = input[key];
    if (typeof value !== 'string' || value.length <= length) continue;
    throw new AppError('bad_request', `"${key}" has ${value.length} characters.`, {
      fix: `Use a name of at most ${length} characters.`,
    });
  }
}

function readString(input: JsonObject, keys: readonly string[]): string | undefined {
  const isGiven = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  const given = keys.filter((key) => isGiven(input[key]));
  return same(
    given,
    given.map((key) => input[key] as string),
  );
}

/** The value that all of them agree on; undefined if there are none. */
function same<T>(keys: readonly string[], values: readonly T[]): T | undefined {
  if (values.every((value) => isDeepStrictEqual(value, values[0]))) return values[0];
  throw new AppError('bad_request', `${keys.join(' and ')} conflict.`, { fix: 'Pass only one of them.' });
}

function toObject(key: string, value: unknown): JsonObject {
  const parsed = typeof value === 'string' ? parseText(key, value) : value;
  if (isObject(parsed)) return parsed;
  throw new AppError('bad_request', `"${key}" must be an object.`, { fix: 'Pass a JSON object or a JSON string.' });
}

function parseText(key: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch (error) {
    throw new AppError('bad_request', `"${key}" is not valid JSON.`, {
      fix: 'Pass a JSON object or a JSON string.',
      cause: error,
    });
  }
}

/** Returns whether the caller has cancelled the call. */
export function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}

/** The first of these keys that has a text, with the text trimmed. */
export function firstTextOf(input: JsonObject, keys: readonly string[]): { key: string; text: string } | undefined {
  for (const key of keys) {
    const value = input[key];
    if (typeof value === 'string' && value.trim() !== '') return { key, text: value.trim() };
  }
  return undefined;
}

/** Throws AppError `bad_request` unless the value is an integer of at least `least`. */
export function readIntegerArgument(input: JsonObject, key: string, least: 0 | 1): number | undefined {
  const value = toPlainNumber(input[key]);
  if (value === undefined || value === null || value === '') return undefined;
  const count = typeof value === 'string' ? Number(value) : value;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= least) return count;
  throw new AppError('bad_request', `'${key}' must be an integer of at least ${least}.`, { fix: 'Omit it.' });
}
