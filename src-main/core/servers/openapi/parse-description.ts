/** Parses an OpenAPI description. What Tooltray does not use of it is not checked. */
import { parse } from 'yaml';
import { AppError, errorText } from '../../base/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '../../base/json.ts';

/** `place`: where the text comes from. Throws AppError `config_invalid` for a description that cannot be used. */
export function parseDescription(text: string, place: string): JsonObject {
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

export function invalid(place: string, reason: string, fix: string): AppError {
  return new AppError('config_invalid', `The OpenAPI description ${place} cannot be used. ${reason}`, { fix });
}
