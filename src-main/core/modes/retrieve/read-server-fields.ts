/** The fields of a server as upstream_servers takes them, brought to our names; null is a field to be taken out. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, parseJson, plainNumber } from '../../base/json.ts';

export interface ServerFields {
  /** Under our names (config/schema.ts); only what was mentioned. */
  readonly fields: JsonObject;
  /** What was asked for and has no effect here, as sentences. */
  readonly warnings: readonly string[];
}

type Reader = (value: unknown, key: string) => unknown;

/** Their parameters in both spellings, our field, how it is read. */
const parameters: readonly (readonly [keys: readonly string[], field: string, read: Reader])[] = [
  [['command'], 'command', readString],
  [['args_json', 'args'], 'args', readList],
  [['env_json', 'env'], 'env', readTexts],
  [['url'], 'url', readString],
  [['protocol'], 'type', readString],
  [['headers_json', 'headers'], 'headers', readTexts],
  [['working_dir', 'cwd'], 'cwd', readString],
  [['description'], 'description', readString],
  [['init_timeout'], 'initTimeoutSeconds', readSeconds],
  [['isolation_json', 'isolation'], 'isolation', readMap],
  [['oauth_json', 'oauth'], 'oauth', readMap],
];

const withoutEffect: Readonly<Record<string, string>> = {
  isolation:
    'isolation: Tooltray has no containers; a server that asks for one stays off until the person switches it on without a container.',
};

/** Throws AppError bad_request. */
export function readServerFields(input: JsonObject): ServerFields {
  const mentioned = parameters.flatMap(([keys, field, read]) => {
    const key = keys.find((one) => input[one] !== undefined);
    return key === undefined ? [] : [[field, isCleared(input[key]) ? null : read(input[key], key)] as const];
  });
  const fields = Object.fromEntries(mentioned);
  const useless = ['trust_mode', 'quarantined', 'expose_prompts'].filter(
    (key) => input[key] !== undefined && !(key === 'quarantined' && input[key] === true),
  );
  return {
    fields,
    warnings: [
      ...Object.keys(fields).flatMap((field) => withoutEffect[field] ?? []),
      ...useless.map((key) => `${key} is not taken from a tool call; the person decides about trust.`),
    ],
  };
}

/** Also as a text: `isolation_json: "null"` is how MCPProxy's users take it out. */
function isCleared(value: unknown): boolean {
  return value === null || (typeof value === 'string' && ['', 'null'].includes(value.trim()));
}

function readString(value: unknown, key: string): string {
  if (typeof value === 'string') return value;
  throw refused(key, 'a text');
}

function readList(value: unknown, key: string): unknown {
  const list = parsed(value, key);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw refused(key, 'a list of texts');
}

/** A map of texts; null under a name takes that one out. */
function readTexts(value: unknown, key: string): JsonObject {
  const map = readMap(value, key);
  if (Object.values(map).every((item) => typeof item === 'string' || item === null)) return map;
  throw refused(key, 'an object of texts, null to take one out');
}

function readMap(value: unknown, key: string): JsonObject {
  const map = parsed(value, key);
  if (isObject(map)) return map;
  throw refused(key, 'an object');
}

/** `30s`, `2m`, or seconds as a number. */
function readSeconds(value: unknown, key: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(String(plainNumber(value)).trim());
  const seconds = Number(match?.[1]) * ({ ms: 0.001, m: 60 }[match?.[2] ?? ''] ?? 1);
  if (seconds > 0) return seconds;
  throw refused(key, 'a time like "30s"');
}

function parsed(value: unknown, key: string): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    throw new AppError('bad_request', `"${key}" is a text that is not JSON.`, {
      fix: 'Nothing was changed.',
      cause: error,
    });
  }
}

function refused(key: string, wanted: string): AppError {
  return new AppError('bad_request', `"${key}" is not ${wanted}.`, { fix: 'Nothing was changed.' });
}
