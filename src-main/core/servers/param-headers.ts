/**
 * Arguments that a tool requires as HTTP headers, too (`x-mcp-header` in its schema): sent to servers, checked for
 * client apps. Source: MCP 2026-07-28, basic/transports, "Mcp-Param" headers.
 */
import { isObject, type JsonObject } from '../base/json.ts';

/** An argument that the schema marks for repetition as a header. */
interface RepeatedParam {
  /** Path from the arguments to the value. */
  readonly path: readonly string[];
  readonly header: string;
}

export function paramHeaders(tool: JsonObject | undefined, args: unknown): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const { path, header } of repeatedParams(tool?.['inputSchema'])) {
    const text = scalarText(valueAt(args, path));
    if (text !== undefined) headers[header] = headerValue(text);
  }
  return Object.keys(headers).length === 0 ? undefined : headers;
}

/**
 * Caches which tools require headers. A definition stays the same object as long as its listing, so its schema is read
 * once.
 */
export class HeaderParamTools {
  readonly #known = new WeakMap<JsonObject, boolean>();

  has(tool: JsonObject): boolean {
    const known = this.#known.get(tool);
    if (known !== undefined) return known;
    const repeats = repeatedParams(tool['inputSchema']).length > 0;
    this.#known.set(tool, repeats);
    return repeats;
  }
}

/** Returns the mismatch between a call's headers and its arguments, as a sentence; undefined if they agree. */
export function paramMismatch(
  tool: JsonObject,
  args: unknown,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined {
  for (const { path, header } of repeatedParams(tool['inputSchema'])) {
    const value = valueAt(args, path);
    const text = scalarText(value);
    // Nothing has to be repeated; an extra header is ignored.
    if (text === undefined) continue;
    const given = headers[header.toLowerCase()];
    const what = `the argument ${path.join('.')} is ${JSON.stringify(value)}`;
    if (typeof given !== 'string') return `${what}, but the header ${header} is missing.`;
    const said = readHeaderValue(given);
    if (said === undefined) return `the header ${header} is marked as base64 but is not valid base64.`;
    if (said !== text && !isSameNumber(value, said))
      return `${what}, but the header ${header} is ${JSON.stringify(said)}.`;
  }
  return undefined;
}

/** Only parameters reachable through `properties` count. An invalid header name would make the whole request fail. */
function repeatedParams(schema: unknown, path: readonly string[] = []): RepeatedParam[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, property]) => {
    const header = isObject(property) ? property['x-mcp-header'] : undefined;
    const here = [...path, name];
    return [
      ...(isHeaderName(header) ? [{ path: here, header: `Mcp-Param-${header}` }] : []),
      ...repeatedParams(property, here),
    ];
  });
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, key) => (isObject(value) ? value[key] : undefined), args);
}

/** A number with preserved spelling is a scalar, too. */
function scalarText(value: unknown): string | undefined {
  if (JSON.isRawJSON(value)) return JSON.stringify(value);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** `1.50` and `1.5` are the same number. */
function isSameNumber(value: unknown, said: string): boolean {
  const isNumber = typeof value === 'number' || JSON.isRawJSON(value);
  return isNumber && /^-?\d+(\.\d+)?$/.test(said) && Number(said) === Number(scalarText(value));
}

/** A `token` of RFC 9110. */
function isHeaderName(header: unknown): header is string {
  return typeof header === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(header);
}

const marked = /^=\?base64\?(.*)\?=$/;

const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Encodes values other than visible ASCII as base64 in the notation of the specification. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !marked.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Decodes a header's value; undefined if it is marked as base64 and contains no text. */
export function readHeaderValue(written: string): string | undefined {
  const base64 = marked.exec(written)?.[1];
  if (base64 === undefined) return written;
  if (!canonicalBase64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
