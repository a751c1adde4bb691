/** A host-only cookie that scripts cannot read. Source: RFC 6265bis, 4.1.3.2 (`__Host-`). */
import type { IncomingMessage } from 'node:http';

export interface HostCookieOptions {
  readonly name: string;
  /** Browsers use HTTPS only: no other site or host can then set the cookie. */
  readonly isSecure: boolean;
  /**
   * `Strict`: not sent with cross-site requests; `Lax`: sent only with cross-site navigations
   * to Tooltray.
   */
  readonly sameSite: 'Strict' | 'Lax';
}

/** 32 random bytes; for the dashboard session, after a routing key and a dot. */
const valuePattern = /^(?:\d{1,10}\.)?[\w-]{43}$/;

export class HostCookie {
  readonly #options: HostCookieOptions;

  constructor(options: HostCookieOptions) {
    this.#options = options;
  }

  /** Value for `set-cookie`; 0 seconds deletes it. */
  serialize(value: string, seconds: number): string {
    const { isSecure, sameSite } = this.#options;
    const secure = isSecure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
  }

  /** Empty if there is no valid one. */
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
