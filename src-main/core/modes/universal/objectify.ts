/**
 * Text of a resource that is JSON under another name becomes JSON by name, its own type kept as `contentType`.
 * Source: MCP Proxy Extension 0.1.0, sections 3.2.2 and 4.2.
 */
import { type JsonObject, parseJson } from '../../base/json.ts';

export function objectify(resource: JsonObject): JsonObject {
  const { text, mimeType } = resource;
  if (typeof text !== 'string' || isJsonType(mimeType)) return resource;
  const value = parsed(text);
  if (value === undefined) return resource;
  return {
    ...resource,
    mimeType: 'application/json',
    text: JSON.stringify(value),
    ...(mimeType !== undefined && { contentType: mimeType }),
  };
}

function isJsonType(mimeType: unknown): boolean {
  return typeof mimeType === 'string' && /^application\/json\s*(;|$)/i.test(mimeType);
}

/** Undefined where it is no JSON: that is no value of JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
