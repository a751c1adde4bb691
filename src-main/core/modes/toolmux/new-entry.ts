/** The config entry that the input of `manage_servers add` describes. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';

/** Whether it says how the server is launched. */
export function describesLaunch(input: JsonObject): boolean {
  return ['command', 'base_url', 'args', 'transport'].some(
    (key) => ![undefined, null, ''].includes(input[key] as null),
  );
}

/** Throws AppError bad_request where it describes none, or two. */
export function newEntry(input: JsonObject): JsonObject {
  const [command, url] = [textIn(input, 'command'), textIn(input, 'base_url')];
  if ((command === undefined) === (url === undefined)) {
    throw refusal("A server needs either 'command' (it is started here) or 'base_url' (it is reached over HTTP).");
  }
  return described(url === undefined ? startedEntry(input, command ?? '') : reachedEntry(input, url), input);
}

/** The entry with the input's description, if it has one. Throws AppError bad_request. */
export function described(entry: JsonObject, input: JsonObject): JsonObject {
  const description = textIn(input, 'description');
  return { ...entry, ...(description !== undefined && { description }) };
}

function startedEntry({ args = [], transport = 'stdio' }: JsonObject, command: string): JsonObject {
  if (transport !== 'stdio') throw refusal(`A server with a 'command' has the transport 'stdio'.`);
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw refusal("'args' must be a list of texts.");
  }
  return { command, args };
}

function reachedEntry({ transport = 'http' }: JsonObject, url: string): JsonObject {
  if (transport !== 'http' && transport !== 'sse') throw refusal("'transport' must be 'http' or 'sse'.");
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw refusal("'base_url' must begin with http:// or https://.");
  return { type: transport, url };
}

function textIn(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw refusal(`'${key}' must be a text.`);
}

function refusal(text: string): AppError {
  return new AppError('bad_request', text);
}
