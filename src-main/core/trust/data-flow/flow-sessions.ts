/** Stores the data-flow memory of each session, bounded over all of them: the least recently used one is evicted. */
import type { Result } from '../../wire/message.ts';
import type { Source } from './readable-lines.ts';
import { provenanceLimits, SessionProvenance } from './session-provenance.ts';

/** Maximum number of remembered characters and sessions in total. */
const maxLength = 128_000_000;
const maxSessions = 300;
/** Idle time after which a memory expires, for sessions that do not end (2026-07-28 over HTTP). */
const idleTimeoutMs = 6 * 60 * 60_000;
/** Maximum number of evicted sessions that are remembered as evicted. */
const maxEvicted = 10_000;
/** Number of calls between checks of the total size. */
const checkInterval = 200;
const maxDecided = 500;
/** Results are indexed this long after they arrived, while the model thinks, unless a call needs them sooner. In ms. */
const readDelayMs = 20;

export class FlowSession {
  readonly memory: SessionProvenance;
  /** Calls that may be made once, and destinations that were refused, until a time in ms since 1970. */
  readonly once = new Map<string, number>();
  readonly no = new Map<string, number>();
  readonly #now: () => number;
  readonly #onTrouble: (error: unknown) => void;
  #reading: NodeJS.Timeout | undefined;
  usedAt: number;

  constructor(now: () => number, onTrouble: (error: unknown) => void, isIncomplete: boolean) {
    this.#now = now;
    this.#onTrouble = onTrouble;
    this.usedAt = now();
    this.memory = new SessionProvenance(provenanceLimits, isIncomplete);
  }

  noteRead(read: Result | string, source: Source): void {
    this.memory.recordRead(read, source);
    if (this.#reading !== undefined) return;
    this.#reading = setTimeout(() => {
      this.#reading = undefined;
      void this.memory.settle().catch(this.#onTrouble);
    }, readDelayMs).unref();
  }

  hasOnce(key: string): boolean {
    return this.#isDecided(this.once, key);
  }

  hasNo(key: string): boolean {
    return this.#isDecided(this.no, key);
  }

  #isDecided(decided: Map<string, number>, key: string): boolean {
    for (const oldest of decided.keys()) {
      if (decided.size <= maxDecided) break;
      decided.delete(oldest);
    }
    const until = decided.get(key);
    if (until === undefined) return false;
    if (this.#now() < until) return true;
    decided.delete(key);
    return false;
  }
}

export class FlowSessions {
  readonly #now: () => number;
  readonly #onTrouble: (error: unknown) => void;
  readonly #sessions = new Map<string, FlowSession>();
  readonly #evicted = new Set<string>();
  #uses = 0;

  constructor(now: () => number, onTrouble: (error: unknown) => void) {
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  of({ memoryId, sessionId }: { readonly memoryId?: string | undefined; readonly sessionId: string }): FlowSession {
    const id = memoryId ?? sessionId;
    const now = this.#now();
    let session = this.#sessions.get(id);
    if (session !== undefined && now - session.usedAt > idleTimeoutMs) session = undefined;
    if (session === undefined) {
      session = new FlowSession(this.#now, this.#onTrouble, this.#evicted.has(id));
      this.#sessions.set(id, session);
      this.#evict();
    } else if (++this.#uses % checkInterval === 0) this.#evict();
    session.usedAt = now;
    return session;
  }

  forget(id: string): void {
    this.#sessions.delete(id);
    this.#evicted.delete(id);
  }

  #evict(): void {
    const all = [...this.#sessions].sort(([, one], [, other]) => one.usedAt - other.usedAt);
    let length = all.reduce((sum, [, { memory }]) => sum + memory.length, 0);
    for (const [id, { memory }] of all.slice(0, -1)) {
      if (this.#sessions.size <= maxSessions && length <= maxLength) return;
      length -= memory.length;
      this.#sessions.delete(id);
      this.#evicted.add(id);
    }
    const [oldest] = this.#evicted;
    if (this.#evicted.size > maxEvicted && oldest !== undefined) this.#evicted.delete(oldest);
  }
}
