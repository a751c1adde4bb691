/**
 * Client address and host behind proxies: `X-Forwarded-*` headers are trusted only from configured proxies, because any
 * client can send them.
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
    const hops = listOf(headers['x-forwarded-for']).map(plainAddress);
    if (!this.#isKnown(peer) || hops.length === 0) return { address: peer, host: headers.host };
    let address = peer;
    for (const hop of hops.slice(-maxHops).toReversed()) {
      // An identifier such as `unknown`: only the proxy that wrote it is known.
      if (isIP(hop) === 0) break;
      address = hop;
      if (!this.#isKnown(hop)) break;
    }
    // The nearest proxy appends its value last.
    return { address, host: listOf(headers['x-forwarded-host']).at(-1) ?? headers.host };
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

function listOf(header: string | readonly string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Without port and brackets; IPv4 also if mapped to IPv6. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare;
}
