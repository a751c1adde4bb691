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
    const value = args[name];
    if (typeof header === 'string' && isScalar(value)) headers[`Mcp-Param-${header}`] = headerValue(String(value));
  }
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Anything that is no plain visible ASCII travels as base64 in the marking the specification gives. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
