/**
 * Which addresses a sign-in may lead to: what a server says must not make us, or a browser, go where the server itself
 * could not. A server out on the internet leads to the internet alone; one in a network of the user's own may lead into
 * such networks, and one on this machine anywhere. Everything is https but what stays on this machine.
 */
import { lookup } from 'node:dns';
import { AppError } from '../../base/errors.ts';
import { type AddressKind, addressKind, hostKind } from '../network/address-kinds.ts';
import type { AddressRule } from '../network/http-fetch.ts';

const reachable: Readonly<Record<AddressKind, readonly AddressKind[]>> = {
  public: ['public'],
  private: ['public', 'private'],
  'link-local': ['public', 'private', 'link-local'],
  loopback: ['public', 'private', 'link-local', 'loopback'],
  never: ['public'],
};

/** Classifies a server by its address, else by the source of its last response. A name without any is `public`. */
export function addressKindOf(serverUrl: string, answeredFrom: string | undefined): AddressKind {
  const { hostname } = new URL(serverUrl);
  return hostKind(hostname) ?? (answeredFrom === undefined ? 'public' : addressKind(answeredFrom));
}

/** Returns the rule for resolved addresses. */
export function dialRule(home: AddressKind): AddressRule {
  return (address) => reachable[home].includes(addressKind(address));
}

/**
 * Whether the address is safe, judged by itself. The addresses that a name resolves to are judged when it is dialed.
 */
export function isSafeUrl(url: URL, home: AddressKind): boolean {
  if (url.username !== '' || url.password !== '') return false;
  const kind = hostKind(url.hostname);
  if (kind !== undefined && !reachable[home].includes(kind)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && kind === 'loopback');
}

/**
 * For an address that a browser is to be sent to; a name that nobody knows here is the browser's to find. Rejects with
 * AppError.
 */
export async function assertSafePage(url: URL, home: AddressKind, serverName: string): Promise<void> {
  if (!isSafeUrl(url, home)) throw unsafeUrlError(serverName, url.origin);
  if (hostKind(url.hostname) !== undefined) return;
  const found = await new Promise<readonly string[]>((resolve) => {
    lookup(url.hostname, { all: true }, (error, addresses) =>
      resolve(error === null ? addresses.map(({ address }) => address) : []),
    );
  });
  if (!found.every(dialRule(home))) throw unsafeUrlError(serverName, url.origin);
}

export function unsafeUrlError(serverName: string, place: string): AppError {
  return new AppError('server_unauthorized', `${serverName} wants the sign-in to go to ${place}, which is not safe.`, {
    fix:
      'Ask its operator for an address with https. Networks of your own count only for a server that is in one, this machine only for ' +
      'one that runs on it.',
  });
}
