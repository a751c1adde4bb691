/** Limits failed logins by client address: further attempts must wait and use no database time. */
import { isIP } from 'node:net';

interface Failures {
  readonly since: number;
  count: number;
}

/** Window in ms, and maximum failures in it. */
const windowMs = 60_000;
const maxFailures = 30;
/** Maximum number of addresses in memory; the oldest failure is evicted first. */
const maxAddresses = 10_000;

export class FailedLoginLimiter {
  readonly #byAddress = new Map<string, Failures>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Time to wait, in seconds; 0: none. */
  waitSeconds(address: string): number {
    const known = this.#byAddress.get(netOf(address));
    const leftMs = known === undefined ? 0 : known.since + windowMs - this.#now();
    return known === undefined || known.count < maxFailures || leftMs <= 0 ? 0 : Math.ceil(leftMs / 1000);
  }

  /** Returns the number of recent failures. */
  failed(address: string): number {
    const net = netOf(address);
    const known = this.#byAddress.get(net);
    if (known !== undefined && this.#now() - known.since < windowMs) return (known.count += 1);
    this.#byAddress.delete(net);
    this.#byAddress.set(net, { since: this.#now(), count: 1 });
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > maxAddresses && oldest !== undefined) this.#byAddress.delete(oldest);
    return 1;
  }
}

/** IPv6 addresses are grouped by /64, because a client usually has a whole /64. */
function netOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}
