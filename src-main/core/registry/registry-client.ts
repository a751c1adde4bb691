/** Queries a registry over HTTP: safe addresses only, short responses, and a time limit. */
import { AppError, errorText } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { markInvisible } from '../base/visible-text.ts';
import { formatBytes } from '../base/text-format.ts';
import type { RegistryConfig } from '../config/app-config.ts';
import { dialedAddress, type FetchLike, type HttpFetch } from '../servers/network/http-fetch.ts';
import { networkError } from '../servers/network/http-errors.ts';
import { addressKindOf, isSafeUrl, dialRule } from '../servers/oauth/safe-urls.ts';

export interface RegistryLimits {
  /** Time limit of a response, including redirects. */
  readonly ms: number;
  readonly bytes: number;
}

export const registryLimits: RegistryLimits = { ms: 10_000, bytes: 8_000_000 };

const maxRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the response as JSON; undefined for a 404. Rejects with AppError `registry_failed`, or with the signal's
 * reason.
 */
export async function fetchRegistry(
  place: RegistryConfig,
  path: string,
  http: HttpFetch,
  signal: AbortSignal,
  limits: RegistryLimits = registryLimits,
): Promise<unknown> {
  const limit = AbortSignal.timeout(limits.ms);
  try {
    const response = await follow(place, path, http, AbortSignal.any([signal, limit]));
    const { status } = response;
    if (status !== 200) {
      await response.body?.cancel();
      if (status === 404) return undefined;
      throw registryError(place, `it returned HTTP ${status}`);
    }
    return read(place, await readAll(place, response, limits.bytes));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    if (limit.aborted) throw registryError(place, `it did not respond within ${limits.ms / 1000} s`, error);
    throw registryError(place, reasonOf(place, error), error);
  }
}

/** `why`: the rest of a sentence. */
export function registryError({ name, url }: RegistryConfig, why: string, cause?: unknown): AppError {
  return new AppError('registry_failed', `The registry "${name}" is unavailable: ${why}.`, {
    fix: `Try again later, or check its URL: ${markInvisible(url)}.`,
    cause,
  });
}

/**
 * The user configured the first address; redirects follow the rules for sign-ins: a public address may only lead to
 * public ones.
 */
async function follow(place: RegistryConfig, path: string, http: HttpFetch, signal: AbortSignal): Promise<Response> {
  const base = new URL(`${place.url.replace(/\/+$/, '')}${path}`);
  const init = { headers: { accept: 'application/json', 'user-agent': 'tooltray' }, signal };
  if (!isSafeUrl(base, 'loopback')) throw registryError(place, 'its URL does not use HTTPS');
  let response = await http.fetch(base, init);
  const home = addressKindOf(base.href, dialedAddress(response));
  const refused = (host: string): Error =>
    registryError(place, `it redirects to ${markInvisible(host)}, which is not safe`);
  const guarded: FetchLike = http.guarded(dialRule(home), refused);
  let at = base;
  for (let count = 0; redirects.has(response.status); count++) {
    const next = response.headers.get('location') ?? '';
    await response.body?.cancel();
    if (count === maxRedirects || !URL.canParse(next, at)) throw registryError(place, 'it has too many redirects');
    at = new URL(next, at);
    if (!isSafeUrl(at, home)) throw refused(at.origin);
    response = await guarded(at, init);
  }
  return response;
}

async function readAll(place: RegistryConfig, response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body = response.body as (ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) | null;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw registryError(place, `its response is longer than ${formatBytes(most)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function read(place: RegistryConfig, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw registryError(place, 'its response is not JSON', error);
  }
}

function reasonOf(place: RegistryConfig, error: unknown): string {
  const { message } = networkError({ serverName: place.name, url: place.url }, error);
  return /cannot be reached at [^ ]+: (.+)\.$/.exec(message)?.[1] ?? errorText(error);
}
