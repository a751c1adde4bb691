/**
 * Determines the recipient of a server's question. A question to the wrong person is worse than none: unclear ones stay
 * unanswered.
 */
import type { JsonObject } from '../base/json.ts';
import type { Principal } from '../security/principal.ts';
import type { Result } from '../wire/message.ts';

/** How long an unclear question waits for the other sessions' calls to end. */
const ownerTimeoutMs = 10_000;

interface Question {
  /** The calls it may come from. A cancelled call stays: the server may still be asking about it. */
  readonly suspects: Map<number, CallContext>;
  wake: () => void;
}

export class InFlightCalls {
  readonly #calls = new Map<number, CallContext>();
  readonly #owner: (() => CallContext | undefined) | undefined;
  readonly #questions = new Set<Question>();

  constructor(owner?: () => CallContext | undefined) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#calls.size;
  }

  add(id: number, context: CallContext): void {
    this.#calls.set(id, context);
  }

  /** `answered`: by the server, which has no more questions about it; otherwise the call was cancelled. */
  remove(id: number, answered: boolean): void {
    if (!this.#calls.delete(id)) return;
    for (const question of this.#questions) {
      if (answered) question.suspects.delete(id);
      question.wake();
    }
  }

  /**
   * The session that something belongs to, if there is no doubt: by the stream it came on, the owner, or the only one
   * calling.
   */
  ownerOf(relatedRequestId: string | number | undefined): CallContext | undefined {
    const related = typeof relatedRequestId === 'number' ? this.#calls.get(relatedRequestId) : undefined;
    if (related !== undefined) return related;
    const owner = this.#owner?.();
    if (owner !== undefined) return this.#latest(owner.sessionId) ?? owner;
    return isOneSession(this.#calls.values()) ? this.#latest() : undefined;
  }

  /** Like `ownerOf`, but if several sessions are possible, waits a while for their calls to end. */
  async resolveOwner(
    relatedRequestId: string | number | undefined,
    signal: AbortSignal,
  ): Promise<CallContext | undefined> {
    const known = this.ownerOf(relatedRequestId);
    if (known !== undefined || this.#calls.size === 0) return known;
    const question: Question = { suspects: new Map(this.#calls), wake: () => undefined };
    this.#questions.add(question);
    const late = AbortSignal.any([signal, AbortSignal.timeout(ownerTimeoutMs)]);
    late.addEventListener('abort', () => question.wake(), { once: true });
    try {
      return await this.#onlySuspect(question, late);
    } finally {
      this.#questions.delete(question);
    }
  }

  /** Looks again whenever a call ends, for as long as one that could be meant is in flight. */
  async #onlySuspect(question: Question, late: AbortSignal): Promise<CallContext | undefined> {
    while (!late.aborted) {
      const waiting = [...question.suspects].filter(([id]) => this.#calls.has(id));
      if (waiting.length === 0) return undefined;
      if (isOneSession(question.suspects.values())) return waiting.at(-1)?.[1];
      await new Promise<void>((resolve) => (question.wake = resolve));
    }
    return undefined;
  }

  #latest(sessionId?: string): CallContext | undefined {
    return [...this.#calls.values()].findLast((call) => sessionId === undefined || call.sessionId === sessionId);
  }
}

function isOneSession(calls: Iterable<CallContext>): boolean {
  return new Set([...calls].map((call) => call.sessionId)).size === 1;
}

/** The caller's side of a call: servers send their own requests and notifications through the call in flight. */
export interface CallContext {
  readonly sessionId: string;
  /** The caller; absent if nothing needs it. */
  readonly principal?: Pick<Principal, 'user'>;
  readonly clientInfo: JsonObject;
  /** Capabilities declared by the client app: sampling, elicitation, roots … */
  readonly clientCapabilities: JsonObject;
  readonly signal: AbortSignal;
  /** Absent when the client app did not ask for progress. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Log messages of this call; `params` as the server sent them. */
  readonly onLog: (params: JsonObject) => void;
  /** The least severe level this session wants, if it said. */
  readonly logLevel?: string | undefined;
  /**
   * Puts a request of the server (sampling, elicitation, roots) to this session's client app. Rejects with RpcError.
   */
  readonly askClient: (method: string, params: JsonObject, signal: AbortSignal) => Promise<Result>;
  /** The revision of MCP that this session speaks. */
  readonly protocolVersion?: string | undefined;
  /** Called when the session's lists have changed. */
  readonly onToolsChanged?: (() => void) | undefined;
  /** Keeps what the session has to itself at servers for a call that outlives its request. */
  readonly holdSession?: ((until: Promise<unknown>) => void) | undefined;
  /** Its client app has to come once more for what it was promised: until it has, or that is over. */
  readonly awaited?: ((until: Promise<void>) => void) | undefined;
  /** Its client app sees many servers as one: what a server asks has to say whose question it is. */
  readonly namesServers?: boolean | undefined;
  /** The session speaks 2026-07-28: `input_required` results pass through as they are. */
  readonly acceptsInputRequired: boolean;
}
