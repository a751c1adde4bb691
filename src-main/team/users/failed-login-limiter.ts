/** Limits failed logins by client address: a client that guesses must wait and uses no database time. */
import { isIP } from 'node:net';

interface Failures {
  readonly since: number;
  count: number;
}

/** In so long, in ms, so many may fail. */
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

  /** How long to wait, in seconds; 0: not at all. */
  waitSeconds(address: string): number {
    const known = this.#byAddress.get(netOf(address));
    const leftMs = known === undefined ? 0 : known.since + windowMs - this.#now();
    return known === undefined || known.count < maxFailures || leftMs <= 0 ? 0 : Math.ceil(leftMs / 1000);
  }

  /** Answers how many there were of late. */
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

/** Whoever has one address of IPv6 has 2^64. */
function netOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}
