/** Turns frames sent to client apps into ledger entries: counts their texts and attributes results to their causes. */
import type { Booking, LedgerCallTexts } from '../activity-messages.ts';
import type { TokenCount } from '../call-record.ts';
import { attributeResult, type CountedCall } from '../ledger/attribute-result.ts';
import { createLedgerEntry, type LedgerEntry } from '../ledger/ledger-entry.ts';
import type { TokenCounts } from './token-counts.ts';

/** Maximum number of calls that ended after their request and whose results were never fetched. */
const maxLateCalls = 100;

export class LedgerBooks {
  readonly #counts: TokenCounts;
  /** Calls for requests that are not answered yet. */
  readonly #requests = new Map<number, CountedCall[]>();
  /** Calls that ended late, by session. */
  readonly #late = new Map<number, CountedCall[]>();

  constructor(counts: TokenCounts) {
    this.#counts = counts;
  }

  /** Adds an ended call to its request. */
  addCall(request: number, call: LedgerCallTexts): void {
    const calls = this.#requests.get(request) ?? [];
    calls.push(this.#counted(call));
    this.#requests.set(request, calls);
  }

  /** Adds a call that ended after its request was answered. */
  addLateCall(session: number, call: LedgerCallTexts): void {
    const calls = this.#late.get(session) ?? [];
    calls.push(this.#counted(call));
    this.#late.set(session, calls.slice(-maxLateCalls));
  }

  requestEnded(request: number): void {
    this.#requests.delete(request);
  }

  sessionEnded(session: number): void {
    this.#late.delete(session);
  }

  book(booking: Booking): readonly LedgerEntry[] {
    const others = booking.others.map(({ cause, server, tool, side, text }) =>
      createLedgerEntry(cause, server, tool, { [side]: this.#counts.count(text) }),
    );
    return [...this.#ownEntries(booking), ...others];
  }

  #ownEntries(booking: Booking): readonly LedgerEntry[] {
    const { cause, tool, payload, loaded: readText, isDirect, result, owner } = booking;
    if (payload === undefined) return [];
    const sent = this.#counts.count(payload);
    if (result === undefined) {
      const loaded = readText === undefined ? sent : this.#counts.count(readText);
      return [createLedgerEntry(cause, '', tool, { times: 1, sent, loaded, ...(isDirect && { baseline: loaded }) })];
    }
    const { kind, request, taker, lateOf } = result;
    const late = lateOf === undefined ? [] : (this.#late.get(lateOf) ?? []);
    if (lateOf !== undefined) this.#late.delete(lateOf);
    const calls = [...(this.#requests.get(request) ?? []), ...late];
    this.#requests.delete(request);
    const read = this.#counts.countIngested(payload, sent, taker);
    // In mode `gateway`, the tool of a server lists the server's tools.
    const shown = kind === 'direct' && owner.mode === 'gateway' && calls.length === 0 ? 'discovery' : kind;
    return attributeResult({ kind: shown, tool, tokens: sent, read, calls });
  }

  #counted({ server, tool, via, result, given, isUntouched, spilled, taker }: LedgerCallTexts): CountedCall {
    const counts = this.#counts;
    const call = { server, tool, via, untouched: isUntouched };
    if (result === undefined || given === undefined)
      return { ...call, raw: undefined, baseline: undefined, given: undefined, read: undefined };
    const raw: TokenCount = spilled ?? counts.countOnce(result);
    if (isUntouched) {
      const sent = counts.count(result);
      const baseline = counts.countIngested(result, sent, taker);
      return { ...call, raw, baseline, given: sent, read: baseline };
    }
    const givenTokens = counts.count(given);
    return {
      ...call,
      raw,
      baseline: counts.countIngested(result, raw, taker),
      given: givenTokens,
      read: counts.countIngested(given, givenTokens, taker),
    };
  }
}
