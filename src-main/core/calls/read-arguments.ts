/** The arguments of a tool inside a helper tool's own: object or JSON text, under any of the four names in use. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../base/json.ts';

const argumentKeys = ['arguments', 'args', 'args_json', 'params'] as const;
const nameKeys = ['name', 'tool', 'tool_name', 'path'] as const;
const serverKeys = ['server', 'connection'] as const;

/** Throws AppError bad_request where the value is no object, or two keys contradict each other. */
export function readArguments(input: JsonObject): JsonObject | undefined {
  const given = argumentKeys.filter((key) => input[key] !== undefined && input[key] !== null);
  const values = given.map((key) => toObject(key, input[key]));
  if (values.some((value) => JSON.stringify(value) !== JSON.stringify(values[0]))) {
    throw new AppError('bad_request', `${given.join(' and ')} say different things.`, {
      fix: 'Give the arguments once.',
    });
  }
  return values[0];
}

/** The tool that is meant, under any of its names. Throws AppError bad_request when none is given. */
export function readToolName(input: JsonObject): string {
  const name = firstString(input, nameKeys);
  if (name !== undefined) return name;
  throw new AppError('bad_request', 'The name of the tool is missing.', { fix: 'Give it as "name".' });
}

export function readServerName(input: JsonObject): string | undefined {
  return firstString(input, serverKeys);
}

function firstString(input: JsonObject, keys: readonly string[]): string | undefined {
  const values = keys.map((key) => input[key]);
  return values.find((value) => typeof value === 'string' && value.trim() !== '') as string | undefined;
}

function toObject(key: string, value: unknown): JsonObject {
  const parsed = typeof value === 'string' ? parseText(key, value) : value;
  if (isObject(parsed)) return parsed;
  throw new AppError('bad_request', `"${key}" is not an object.`, { fix: 'Give a JSON object, or its JSON text.' });
}

function parseText(key: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch (error) {
    throw new AppError('bad_request', `"${key}" is a text that is not JSON.`, {
      fix: 'Give a JSON object, or its JSON text.',
      cause: error,
    });
  }
}
