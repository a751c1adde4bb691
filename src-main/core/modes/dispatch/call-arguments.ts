/** The arguments of a call: given beside it, or in a file. */
import { AppError, errorText } from '../../base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { argumentKeys, readArguments } from '../../calls/read-arguments.ts';
import type { ResultFiles } from '../../results/result-files.ts';
import { fromToon } from '../../results/toon.ts';

export interface CallArguments {
  readonly arguments: JsonObject;
  /** What the answer repeats of them. */
  readonly echo: JsonObject;
}

/** Members that a call without arguments may have; anything else was meant for the tool. */
const ownKeys: ReadonlySet<string> = new Set([
  ...['action', 'connection', 'tool', 'meta', '_meta', 'format', 'limit', 'refresh'],
  ...['argumentsFile', 'resultToFile', 'resultSizeThreshold'],
  ...['includeTools', 'includeInputSchema', 'includeAnnotations'],
  ...argumentKeys,
]);

/** `consumed`: names under which tool and connection were given. Throws AppError bad_request. */
export async function callArguments(
  input: JsonObject,
  consumed: readonly string[],
  files: ResultFiles,
): Promise<CallArguments> {
  const given = givenArguments(input);
  const file = input['argumentsFile'];
  if (given === undefined) refuseMisplaced(input, consumed);
  if (file === undefined || file === null) return { arguments: given ?? {}, echo: given ?? {} };
  if (typeof file !== 'string' || file.trim() === '') {
    throw new AppError('bad_request', "Action 'call' requires 'argumentsFile' to be the path of a file.");
  }
  return { arguments: parseFile(file, await readFile(file, files)), echo: { _fromFile: file } };
}

function givenArguments(input: JsonObject): JsonObject | undefined {
  for (const key of argumentKeys) {
    try {
      readArguments({ [key]: input[key] });
    } catch (cause) {
      throw new AppError('bad_request', `Action 'call' requires '${key}' to be an object.`, {
        fix: 'Its JSON text will do as well.',
        cause,
      });
    }
  }
  return readArguments(input);
}

function refuseMisplaced(input: JsonObject, consumed: readonly string[]): void {
  const misplaced = Object.keys(input).filter((key) => !ownKeys.has(key) && !consumed.includes(key));
  if (misplaced.length === 0) return;
  const names = misplaced.slice(0, 20).map((key) => key.slice(0, 80));
  throw new AppError('bad_request', `It received downstream input(s) at the proxy level: ${names.join(', ')}.`, {
    fix: "Put what the tool needs into 'arguments'.",
  });
}

async function readFile(file: string, files: ResultFiles): Promise<string> {
  try {
    return await files.readText(file);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found') throw new AppError('not_found', `File for arguments does not exist: ${file}.`);
    if (error.code !== 'bad_request') throw error;
    throw new AppError('bad_request', `Path for arguments is not a file: ${file}.`);
  }
}

function parseFile(file: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = parseText(text);
  } catch (error) {
    throw new AppError('bad_request', `Invalid JSON in the file for arguments ${file}: ${errorText(error)}.`);
  }
  if (isObject(value)) return value;
  throw new AppError('bad_request', `The file for arguments ${file} must contain a JSON or TOON object.`);
}

/** JSON, or TOON as answers are kept. Any line of words is TOON for a text: only what has a shape counts. */
function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (/^\s*\{/.test(text)) throw error;
    const value = fromToon(text);
    if (typeof value !== 'object') throw error;
    return value;
  }
}
