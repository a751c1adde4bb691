/**
 * Decides which addresses a sign-in may use: metadata of a server must not lead us, or a browser, to places that the
 * server itself cannot reach. A server on the internet may only use the internet, one in a private network also
 * private networks, one on this machine any address. All addresses except local ones must be https.
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

/** Whether the address itself is safe. The addresses that its name resolves to are checked when it is dialed. */
export function isSafeUrl(url: URL, home: AddressKind): boolean {
  if (url.username !== '' || url.password !== '') return false;
  const kind = hostKind(url.hostname);
  if (kind !== undefined && !reachable[home].includes(kind)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && kind === 'loopback');
}

/**
 * Checks an address for a browser; a name that cannot be resolved here is left to the browser. Rejects with AppError.
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
  return new AppError('server_unauthorized', `${serverName} redirects the sign-in to ${place}, which is not safe.`, {
    fix:
      'Ask its operator for an HTTPS URL. Private addresses are allowed only for a server in the same network, loopback addresses only for ' +
      'one on this machine.',
  });
}
