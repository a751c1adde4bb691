/** A cookie of this host alone that no program of a page reads. Source: RFC 6265bis, 4.1.3.2 (`__Host-`). */
import type { IncomingMessage } from 'node:http';

export interface HostCookieOptions {
  readonly name: string;
  /** Browsers reach us by https alone: then no other site, and no other name of this one, can set it. */
  readonly isSecure: boolean;
  /**
   * `Strict`: it comes with no request that another site begins; `Lax`: with none but those that show a page of
   * Tooltray.
   */
  readonly sameSite: 'Strict' | 'Lax';
}

/** 32 random bytes; of the dashboard's session, after a routing key and a dot. */
const valuePattern = /^(?:\d{1,10}\.)?[\w-]{43}$/;

export class HostCookie {
  readonly #options: HostCookieOptions;

  constructor(options: HostCookieOptions) {
    this.#options = options;
  }

  /** A line for `set-cookie`; after 0 seconds there is none. */
  serialize(value: string, seconds: number): string {
    const { isSecure, sameSite } = this.#options;
    const secure = isSecure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
  }

  /** Empty if there is none that we made. */
  read({ headers }: IncomingMessage): string {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    const [, value = ''] = pairs.find(([name]) => name === this.#name) ?? [];
    return valuePattern.test(value) ? value : '';
  }

  get #name(): string {
    const { isSecure, name } = this.#options;
    return isSecure ? `__Host-${name}` : name;
  }
}
