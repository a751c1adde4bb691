/** Sends the request of one operation, and turns the response into the result of a tool. */
import { AppError, errorText } from '../../base/errors.ts';
import { isObject, type JsonObject, tryParseJson } from '../../base/json.ts';
import { formatBytes } from '../../base/text-format.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { type ApiOperation, type ApiParameter, isFormType, isJsonType } from './operations.ts';
import { readLimited } from '../network/read-limited.ts';

export interface ApiOptions {
  /** Address of the API; paths are appended. */
  readonly url: string;
  /** Sent with every request; they take precedence over parameters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum size of a response, in bytes. */
  readonly maxBytes: number;
  readonly fetch: FetchLike;
}

/** Longer JSON is returned as text alone, because parsing blocks the core's thread; in bytes. */
const maxParsedBytes = 1024 * 1024;
/** Maximum length of an error's body in the result, in characters. */
const maxErrorLength = 4000;

/** Rejects with AppError: `bad_request` for unusable arguments, `server_unreachable`, `result_too_large`. */
export async function callOperation(
  operation: ApiOperation,
  args: JsonObject,
  { url, headers, maxBytes, fetch }: ApiOptions,
  signal: AbortSignal,
): Promise<JsonObject> {
  const target = addressOf(operation, args, url);
  const body = bodyOf(operation, args);
  const sent = new Headers({ accept: 'application/json, text/*;q=0.9, */*;q=0.5' });
  for (const { argument, name, place } of operation.parameters)
    if (place === 'header' && args[argument] !== undefined) setHeader(sent, name, args[argument]);
  if (body !== undefined) sent.set('content-type', operation.body?.contentType ?? 'application/json');
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  let response: Response;
  try {
    // Redirects are not followed: the secrets in the headers are for this address only.
    response = await fetch(target, {
      method: operation.method,
      headers: sent,
      signal,
      ...(body !== undefined && { body }),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new AppError('server_unreachable', `${target.host} cannot be reached: ${errorText(error)}`);
  }
  const bytes = await readLimited(response, maxBytes);
  if (bytes === undefined) {
    throw new AppError(
      'bad_request',
      `The response of ${operation.tool.name} has more than ${formatBytes(maxBytes)}.`,
      {
        fix: 'Ask for less, with the parameters of the operation, or raise maxMessageMB of the server.',
      },
    );
  }
  const type = response.headers.get('content-type') ?? '';
  return response.ok ? resultOf(bytes, type, target) : errorOf(response, bytes);
}

/** Throws AppError `bad_request` for a missing or unusable path parameter. */
function addressOf({ path, parameters }: ApiOperation, args: JsonObject, base: string): URL {
  const filled = path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const found = parameters.find((one) => one.place === 'path' && one.name === name);
    const value = args[found?.argument ?? name];
    const text = value === undefined ? '' : textOf(value);
    // These would lead to another path of the API.
    if (text === '' || text === '.' || text === '..') {
      throw new AppError('bad_request', `The parameter ${JSON.stringify(name)} is missing or no part of a path.`);
    }
    return encodeURIComponent(text);
  });
  const target = new URL(base);
  const [ownPath = '', ownQuery] = filled.split('?', 2);
  target.pathname = `${target.pathname.replace(/\/$/, '')}${ownPath}`;
  const query = new URLSearchParams([...target.searchParams, ...new URLSearchParams(ownQuery)]);
  for (const one of parameters) {
    const value = args[one.argument];
    if (one.place === 'query' && value !== undefined) addToQuery(query, one, value);
  }
  target.search = query.toString();
  return target;
}

function addToQuery(query: URLSearchParams, { name, style, explode }: ApiParameter, value: unknown): void {
  if (isObject(value)) {
    for (const [key, one] of Object.entries(value))
      query.append(style === 'deepObject' ? `${name}[${key}]` : explode ? key : name, textOf(one));
    return;
  }
  if (!Array.isArray(value)) return query.append(name, textOf(value));
  const texts = (value as unknown[]).map(textOf);
  const separator = { plain: ',', deepObject: ',', spaceDelimited: ' ', pipeDelimited: '|' }[style];
  if (explode && style === 'plain') for (const text of texts) query.append(name, text);
  else query.append(name, texts.join(separator));
}

/** Throws AppError `bad_request` for a value that no header can have. */
function setHeader(headers: Headers, name: string, value: unknown): void {
  try {
    headers.set(name, textOf(value));
  } catch {
    throw new AppError('bad_request', `The header ${JSON.stringify(name)} cannot have this value.`);
  }
}

function bodyOf({ body }: ApiOperation, args: JsonObject): string | undefined {
  if (body === undefined) return undefined;
  const { contentType, members } = body;
  const given = members?.filter((name) => args[name] !== undefined).map((name) => [name, args[name]] as const);
  if (given === undefined) {
    const whole = args['body'];
    if (whole === undefined) return undefined;
    return isJsonType(contentType) ? JSON.stringify(whole) : textOf(whole);
  }
  if (!isFormType(contentType)) return JSON.stringify(Object.fromEntries(given));
  return new URLSearchParams(given.map(([name, value]) => [name, textOf(value)])).toString();
}

/** Text as it is, a list with commas, anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return (value as unknown[]).map(textOf).join(',');
  return JSON.stringify(value) ?? '';
}

function resultOf(bytes: Buffer, type: string, target: URL): JsonObject {
  const [media = ''] = type.split(';');
  const kind = /^(image|audio)\//i.exec(media)?.[1]?.toLowerCase();
  if (kind !== undefined) return { content: [{ type: kind, data: bytes.toString('base64'), mimeType: media }] };
  const isText = bytes.length === 0 || isJsonType(media) || media === '' || /^text\/|xml|yaml|javascript/i.test(media);
  if (!isText) {
    const resource = { uri: target.href, mimeType: media, blob: bytes.toString('base64') };
    return { content: [{ type: 'resource', resource }] };
  }
  const text = bytes.toString('utf8');
  const parsed = isJsonType(media) && bytes.length <= maxParsedBytes ? tryParseJson(text) : undefined;
  return {
    content: [{ type: 'text', text: text === '' ? 'Done; the response is empty.' : text }],
    ...(isObject(parsed) && { structuredContent: parsed }),
  };
}

function errorOf({ status, statusText, headers }: Response, bytes: Buffer): JsonObject {
  const location = headers.get('location');
  const redirect = location === null ? '' : ` It redirects to ${location}, which is not followed.`;
  const body = bytes.toString('utf8').slice(0, maxErrorLength);
  const text = [`HTTP ${status} ${statusText}.${redirect}`.trim(), body].filter(Boolean).join('\n');
  return { content: [{ type: 'text', text }], isError: true };
}
