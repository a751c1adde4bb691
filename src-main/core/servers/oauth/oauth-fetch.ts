/** The fetch for metadata, registration and tokens: only safe addresses, short responses, and a time limit. */
import { AppError } from '../../base/errors.ts';
import { isObject, tryParsePlainJson } from '../../base/json.ts';
import type { AddressKind } from '../network/address-kinds.ts';
import { networkError } from '../network/http-errors.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { readLimited } from '../network/read-limited.ts';
import { isSafeUrl, unsafeUrlError } from './safe-urls.ts';

interface SignInFetchOptions {
  readonly fetch: FetchLike;
  readonly serverName: string;
  /** The kind of the server's address, if known. */
  readonly home: () => AddressKind;
}

const requestTimeoutMs = 30_000;
const maxBytes = 1024 * 1024;

/**
 * Rejects with a TypeError whose cause is an AppError, because the SDK treats any other error as missing metadata and
 * continues.
 */
export function createOAuthFetch(options: SignInFetchOptions): FetchLike {
  const { serverName, home } = options;
  return async (address, init = {}) => {
    const url = new URL(address);
    try {
      if (!isSafeUrl(url, home())) throw unsafeUrlError(serverName, url.origin);
      const body = init.body == null ? {} : { body: String(init.body as string | URLSearchParams) };
      const response = await options.fetch(url, { ...init, ...body, signal: AbortSignal.timeout(requestTimeoutMs) });
      const text = await readAll(response);
      const status = response.ok && isRefusal(text) ? 400 : response.status;
      return new Response(text, { status, headers: response.headers });
    } catch (error) {
      throw asFetchFails(toAppError(error, options, url));
    }
  };
}

/** Some authorization servers report errors with status 200 (GitHub: `{"error": "bad_verification_code"}`). */
function isRefusal(text: string | null): boolean {
  if (text === null || !text.includes('"error"')) return false;
  const value = tryParsePlainJson(text);
  return isObject(value) && typeof value['error'] === 'string' && !('access_token' in value) && !('client_id' in value);
}

function toAppError(error: unknown, { serverName }: SignInFetchOptions, url: URL): AppError {
  return error instanceof AppError
    ? error
    : networkError({ serverName: `The sign-in of ${serverName}`, url: url.href }, error);
}

function asFetchFails(cause: AppError): TypeError {
  return new TypeError(cause.message, { cause });
}

async function readAll(response: Response): Promise<string | null> {
  if (response.body === null) return null;
  const bytes = await readLimited(response, maxBytes);
  if (bytes === undefined) throw new Error('its response is longer than 1 MB');
  return bytes.toString('utf8');
}
