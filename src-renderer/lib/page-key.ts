/**
 * The key that lets this page in: it comes in the link's fragment, leaves the address at once, and stays with this
 * origin. It is never sent: who answers at this address may be another program by now. Questions are signed, answers
 * have to prove.
 */

const storageName = 'tooltray.key';
const encoder = new TextEncoder();

/**
 * Takes the key out of the address, where there is one. To be called before anything reads the address. @returns
 * whether it is a new one.
 */
export function storeKeyFromUrl(): boolean {
  const encoded = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (encoded === undefined) return false;
  // A core that asks for none says so: an old one would have this page wait for a proof.
  const key = encoded === 'none' ? null : decodeURIComponent(encoded);
  const isNew = key !== localStorage.getItem(storageName);
  if (key === null) localStorage.removeItem(storageName);
  else localStorage.setItem(storageName, key);
  history.replaceState(undefined, '', location.pathname);
  return isNew;
}

export interface SignedRpcRequest {
  /** What the question carries over HTTP. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether an answer comes from the core that the key is of. */
  readonly isAnsweredBy: (response: Response) => boolean;
}

/** Signs one question, for once. */
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
