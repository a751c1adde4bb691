/**
 * Client address and host behind proxies: forwarding headers (`Forwarded`, RFC 7239; `X-Forwarded-*`) are trusted only
 * from configured proxies, because any client can send them.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { AppError } from '../../core/base/errors.ts';

export interface ClientAddress {
  /** Client address, as far as it can be trusted. */
  readonly address: string;
  /** Requested host. */
  readonly host: string | undefined;
}

interface ForwardedHop {
  /** An address or another identifier. */
  readonly for: string;
  readonly host: string | undefined;
}

/** Maximum number of proxies in a row; entries further left are not trusted. */
const maxHops = 20;

export class TrustedProxies {
  readonly #known = new BlockList();

  /** `ranges`: addresses and CIDR ranges. Throws AppError `bad_request`. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) this.#add(range);
  }

  clientOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): ClientAddress {
    const peer = plainAddress(socket.remoteAddress ?? '');
    const direct = { address: peer, host: headers.host };
    if (!this.#isKnown(peer)) return direct;
    const forwarded = this.#farthest(peer, forwardedHops(headerText(headers['forwarded'])));
    const older = this.#farthest(peer, xForwardedHops(headers));
    // A proxy that writes one header passes on the other from its client: if they differ, neither is trusted.
    if (forwarded !== undefined && older !== undefined && forwarded.for !== older.for) return direct;
    const hop = forwarded ?? older;
    if (hop === undefined) return direct;
    return { address: hop.for, host: forwarded?.host ?? older?.host ?? headers.host };
  }

  /** The first hop that is not a trusted proxy; undefined if there are no forwarding headers. */
  #farthest(peer: string, hops: readonly ForwardedHop[]): ForwardedHop | undefined {
    let last: ForwardedHop | undefined;
    for (const hop of hops.slice(-maxHops).toReversed()) {
      // An identifier such as `unknown`: only the proxy that wrote it is known.
      if (isIP(hop.for) === 0) return { for: last?.for ?? peer, host: hop.host };
      last = hop;
      if (!this.#isKnown(hop.for)) return hop;
    }
    return last;
  }

  #isKnown(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#known.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }

  #add(range: string): void {
    const [address = '', bits, ...more] = range.trim().split('/');
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    const isWhole = bits === undefined || /^\d{1,3}$/.test(bits);
    if (version === 0 || more.length > 0 || !isWhole || prefix > most)
      throw new AppError('bad_request', `${JSON.stringify(range)} is not a valid IP range.`, {
        fix: 'Use IP addresses or ranges, such as 10.0.0.0/8,fd00::/8.',
      });
    this.#known.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
}

function xForwardedHops(headers: IncomingMessage['headers']): ForwardedHop[] {
  const addresses = listOf(headerText(headers['x-forwarded-for']));
  // The nearest proxy appends its value last.
  const host = listOf(headerText(headers['x-forwarded-host'])).at(-1);
  return addresses.map((address) => ({ for: plainAddress(address), host }));
}

/** Source: RFC 7239, 4. */
function forwardedHops(text: string): ForwardedHop[] {
  return listOf(text).map((element) => {
    const pairs = new Map(
      [...element.matchAll(/([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/g)].map(([, name = '', quoted, plain = '']) => [
        name.toLowerCase(),
        quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1'),
      ]),
    );
    return { for: plainAddress(pairs.get('for') ?? ''), host: pairs.get('host') };
  });
}

/** Splits at commas outside quotes. */
function listOf(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((one) => one.trim()).filter((one) => one !== '');
}

/** Without port and brackets; IPv4 also if mapped to IPv6. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare;
}

function headerText(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}
