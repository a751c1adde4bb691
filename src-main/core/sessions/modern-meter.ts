/** The ledger at an endpoint of 2026-07-28: what one app asks until it is silent for long stands for a session. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Exchange } from '../activity/ledger/exchange.ts';
import type { Ledger } from '../activity/ledger/ledger.ts';
import type { LedgerSession } from '../activity/ledger/ledger-session.ts';
import type { JsonObject } from '../base/json.ts';
import { meterResponse } from './metered-response.ts';

const silenceMs = 30 * 60_000;
const mostApps = 50;

interface Open {
  readonly session: LedgerSession;
  seenAt: number;
}

export class ModernMeter {
  readonly #ledger: Ledger;
  readonly #mode: () => string;
  readonly #sessions = new Map<string, Open>();

  constructor(ledger: Ledger, mode: () => string) {
    this.#ledger = ledger;
    this.#mode = mode;
  }

  /** A request of the app, which calls itself `client`, has come that this response will answer. */
  open(app: string, client: string, method: string, params: JsonObject, response: ServerResponse): Exchange {
    const session = this.#sessionOf(app, client, method);
    const exchange = session.asked(method, params);
    meterResponse(response, this.#ledger.batch, (message) => {
      session.sent(message, 'method' in message ? undefined : exchange);
    });
    return exchange;
  }

  end(): void {
    for (const { session } of this.#sessions.values()) session.end();
    this.#sessions.clear();
  }

  /** Whoever discovers begins anew. */
  #sessionOf(app: string, client: string, method: string): LedgerSession {
    const key = JSON.stringify([app, client]);
    const known = this.#sessions.get(key);
    const now = Date.now();
    if (known !== undefined && method !== 'server/discover' && now - known.seenAt < silenceMs) {
      known.seenAt = now;
      return known.session;
    }
    known?.session.end();
    this.#makeRoom();
    const session = this.#ledger.open({ id: randomUUID(), app: () => app, mode: this.#mode, client: () => client });
    this.#sessions.set(key, { session, seenAt: now });
    return session;
  }

  #makeRoom(): void {
    if (this.#sessions.size < mostApps) return;
    const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.seenAt - b.seenAt);
    if (oldest === undefined) return;
    oldest[1].session.end();
    this.#sessions.delete(oldest[0]);
  }
}
