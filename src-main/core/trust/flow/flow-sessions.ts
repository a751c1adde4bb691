/** What is remembered for each session, within bounds for all of them: the one that was not used for longest gives way. */
import { memoryLimits, SessionMemory } from './session-memory.ts';

/** For all sessions together, in bytes, and in number. */
const mostBytes = 128 * 1024 * 1024;
const mostSessions = 300;
/** Where sessions do not end (2026-07-28 over HTTP), what was read so long ago is over, in ms. */
const idleMs = 6 * 60 * 60_000;
/** How many of those that had to be given up are known as such. */
const mostGivenUp = 10_000;
/** Sizes are added up once in so many new answers. */
const checkEvery = 200;

const mostSent = 50;
const longestSent = 4000;
const mostDecided = 500;

export class FlowSession {
  readonly memory: SessionMemory;
  /** Calls that may be made once, and destinations that were refused; until when, in ms since 1970. */
  readonly once = new Map<string, number>();
  readonly no = new Map<string, number>();
  /** The last of what went to addresses that were new. */
  readonly sent = new Map<string, string>();
  readonly #now: () => number;
  usedAt: number;

  constructor(now: () => number, isUnsure: boolean) {
    this.#now = now;
    this.usedAt = now();
    this.memory = new SessionMemory(memoryLimits, isUnsure);
  }

  hasOnce(key: string): boolean {
    return this.#stands(this.once, key);
  }

  hasNo(key: string): boolean {
    return this.#stands(this.no, key);
  }

  noteSent(key: string, text: string): void {
    const all = `${this.sent.get(key) ?? ''} ${text}`.slice(-longestSent);
    this.sent.delete(key);
    this.sent.set(key, all);
    keepNewest(this.sent, mostSent);
  }

  #stands(decided: Map<string, number>, key: string): boolean {
    keepNewest(decided, mostDecided);
    const until = decided.get(key);
    if (until === undefined) return false;
    if (this.#now() < until) return true;
    decided.delete(key);
    return false;
  }
}

export class FlowSessions {
  readonly #now: () => number;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, FlowSession>();
  readonly #givenUp = new Set<string>();
  #uses = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  of({ memoryId, sessionId }: { readonly memoryId?: string | undefined; readonly sessionId: string }): FlowSession {
    const id = memoryId ?? sessionId;
    const now = this.#now();
    let session = this.#sessions.get(id);
    if (session !== undefined && now - session.usedAt > idleMs) session = undefined;
    if (session === undefined) {
      session = new FlowSession(this.#now, this.#givenUp.has(id));
      this.#sessions.delete(id);
      this.#sessions.set(id, session);
      this.#makeRoom();
    } else if (++this.#uses % checkEvery === 0) this.#makeRoom();
    session.usedAt = now;
    return session;
  }

  forget(id: string): void {
    this.#sessions.delete(id);
    this.#givenUp.delete(id);
  }

  /** A session whose memory had to be given up does not know any more where things came from. */
  #makeRoom(): void {
    const all = [...this.#sessions].sort(([, one], [, other]) => one.usedAt - other.usedAt);
    let bytes = all.reduce((sum, [, { memory }]) => sum + memory.bytes, 0);
    for (const [id, { memory }] of all.slice(0, -1)) {
      if (this.#sessions.size <= mostSessions && bytes <= mostBytes) return;
      bytes -= memory.bytes;
      this.#sessions.delete(id);
      this.#givenUp.add(id);
    }
    const [oldest] = this.#givenUp;
    if (this.#givenUp.size > mostGivenUp && oldest !== undefined) this.#givenUp.delete(oldest);
  }
}

function keepNewest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
