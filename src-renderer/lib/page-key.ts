/**
 * The key that authenticates this page. It arrives in the link's fragment, is removed from the URL immediately, and is
 * stored for this origin. It is never sent, because another program may listen at this address by now: requests are
 * signed, and responses must prove that they know it.
 */

const storageName = 'tooltray.key';
const encoder = new TextEncoder();

/**
 * Removes the key from the URL, if there is one. Call it before anything reads the URL. @returns whether the key is
 * new.
 */
export function storeKeyFromUrl(): boolean {
  const encoded = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (encoded === undefined) return false;
  // A core without a key says so; with an old key this page would wait for a proof.
  const key = encoded === 'none' ? null : decodeURIComponent(encoded);
  const isNew = key !== localStorage.getItem(storageName);
  if (key === null) localStorage.removeItem(storageName);
  else localStorage.setItem(storageName, key);
  history.replaceState(undefined, '', location.pathname);
  return isNew;
}

export interface SignedRpcRequest {
  /** HTTP headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a response proves that it comes from the core that has this key. */
  readonly isAnsweredBy: (response: Response) => boolean;
}

/** Signs one request. */
export async function signRequest(method: string, path: string, body = ''): Promise<SignedRpcRequest> {
  const key = localStorage.getItem(storageName);
  if (key === null) return { headers: {}, isAnsweredBy: () => true };
  const time = Date.now();
  const nonce = crypto.randomUUID();
  const bodyHash = toText(await crypto.subtle.digest('SHA-256', encoder.encode(body)));
  const signature = await hmac(key, ['ask', method, path, time, nonce, bodyHash]);
  const proof = await hmac(key, ['answer', nonce]);
  return {
    headers: { authorization: `Tooltray ${time}.${nonce}.${bodyHash}.${signature}` },
    isAnsweredBy: (response) => response.headers.get('tooltray-proof') === proof,
  };
}

async function hmac(key: string, parts: readonly (string | number)[]): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign']);
  return toText(await crypto.subtle.sign('HMAC', imported, encoder.encode(parts.join('\n'))));
}

/** As base64url. */
function toText(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
