/** Reads an OpenAPI description from a file or an address. What Tooltray does not use of it is not checked. */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { AppError, errorText } from '../../base/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '../../base/json.ts';
import { formatBytes } from '../../base/text-format.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { readLimited } from './read-limited.ts';

/** Maximum size of a description, in bytes. GitHub's has 12 MB as JSON. */
const maxBytes = 16 * 1024 * 1024;
const timeoutMs = 30_000;

/**
 * `place`: an http(s) address, or the path of a file. Rejects with AppError `config_invalid` for a description that
 * cannot be read or used, `server_unreachable` if its address does not respond.
 */
export async function readDescription(place: string, fetch: FetchLike): Promise<JsonObject> {
  const text = /^https?:/i.test(place) ? await fetchText(place, fetch) : await readText(place);
  const document = parseDocument(text, place);
  const version = textOrEmpty(document['openapi']);
  if (!/^3\.[0-2]\./.test(version)) {
    const is = version === '' ? 'It names no version of OpenAPI.' : `It is of OpenAPI ${version}.`;
    throw invalid(place, is, 'Use a description of OpenAPI 3.0 to 3.2; older ones can be converted.');
  }
  // References to other files and addresses are refused: a description must not make Tooltray read them.
  const external = findExternal(document);
  if (external !== undefined)
    throw invalid(place, `It refers to ${JSON.stringify(external)}.`, 'Bundle it into one file first.');
  if (!isObject(document['paths'])) throw invalid(place, 'It has no paths.', 'Use a description with operations.');
  return document;
}

/** Iterative, because a description may be nested as deep as its author likes. */
function findExternal(document: JsonObject): string | undefined {
  const waiting: unknown[] = [document];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (Array.isArray(at)) waiting.push(...(at as unknown[]));
    if (!isObject(at)) continue;
    const { $ref } = at;
    if (typeof $ref === 'string' && !$ref.startsWith('#')) return $ref;
    waiting.push(...Object.values(at).filter((value) => typeof value === 'object' && value !== null));
  }
  return undefined;
}

function parseDocument(text: string, place: string): JsonObject {
  try {
    // JSON is YAML, and parsed much faster as JSON.
    const document: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 100 });
    if (isObject(document)) return document;
  } catch (error) {
    throw invalid(place, errorText(error).slice(0, 300), 'It has to be JSON or YAML.');
  }
  throw invalid(place, 'It is no object.', 'It has to be an OpenAPI description as JSON or YAML.');
}

async function readText(place: string): Promise<string> {
  const path = place.startsWith('file:') ? fileURLToPath(place) : resolve(place);
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > maxBytes) throw tooLarge(place);
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid(place, errorText(error), 'Write the whole path of the file, or an address.');
  }
}

async function fetchText(place: string, fetch: FetchLike): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(place, {
      headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
      signal,
    });
  } catch (error) {
    throw new AppError('server_unreachable', `The description at ${place} cannot be fetched: ${errorText(error)}`);
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw invalid(place, `Its address responded with HTTP ${response.status}.`, 'Save it as a file, and name that.');
  }
  const bytes = await readLimited(response, maxBytes);
  if (bytes === undefined) throw tooLarge(place);
  return bytes.toString('utf8');
}

function tooLarge(place: string): AppError {
  return invalid(place, `It has more than ${formatBytes(maxBytes)}.`, 'Keep only the operations that are needed.');
}

function invalid(place: string, reason: string, fix: string): AppError {
  return new AppError('config_invalid', `The OpenAPI description ${place} cannot be used. ${reason}`, { fix });
}
