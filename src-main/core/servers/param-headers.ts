/**
 * Arguments that a tool wants repeated as HTTP headers (`x-mcp-header` in its schema).
 * Source: MCP 2026-07-28, basic/transports, "Mcp-Param" headers.
 */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';

export function paramHeaders(tool: JsonObject | undefined, args: unknown): Record<string, string> | undefined {
  const schema = tool?.['inputSchema'];
  if (!isObject(schema) || !isObject(schema['properties']) || !isObject(args)) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema['properties'])) {
    const header = isObject(property) ? property['x-mcp-header'] : undefined;
    const text = scalarText(args[name]);
    if (isHeaderName(header) && text !== undefined) headers[`Mcp-Param-${header}`] = headerValue(text);
  }
  return Object.keys(headers).length === 0 ? undefined : headers;
}

/** A number whose spelling we keep is one, too. */
function scalarText(value: unknown): string | undefined {
  if (JSON.isRawJSON(value)) return JSON.stringify(value);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** A `token` of RFC 9110; anything else would make the whole request fail. */
function isHeaderName(header: unknown): header is string {
  return typeof header === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(header);
}

/** Anything that is no plain visible ASCII travels as base64 in the marking the specification gives. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
