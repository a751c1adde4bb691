/** One request of a client app, from its arrival until its response was sent, and the calls that ran for it. */
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { parseSpillInfo } from '../../spills/spill.ts';
import type { Message, Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { CallOutcome } from '../call-record.ts';
import type { ActivityLog } from '../activity-log.ts';
import type { LedgerCallTexts } from '../activity-messages.ts';
import type { TokenCount } from '../call-record.ts';
import type { ResultIntake } from './ledger-entry.ts';

/** A call of a server's tool that is over. */
interface LedgerCall {
  readonly server: string;
  readonly tool: string;
  readonly via: string | undefined;
  /** The server's result; undefined if there was none. */
  readonly result: Result | undefined;
  /** The result returned to the model. */
  readonly given: Result | undefined;
  readonly outcome: CallOutcome;
}

/** A server's tool that was called. */
export interface CalledTool {
  readonly server: string;
  readonly tool: string;
}

/** A call that ran for a request, with the fields that its step needs. */
export interface FinishedCallInfo extends CalledTool {
  readonly via: string | undefined;
  readonly outcome: CallOutcome;
}

/** Progress of a server, as in its notification. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** In characters, of what a server says of its progress. */
const maxProgressMessageLength = 200;

/** At most this many calls of one request are recorded for it; a program may make more. */
const maxFinishedCalls = 1000;

/** Who asks, as it is when the request is over: a handshake may change all of it. */
export interface StepOwner {
  readonly sessionId: string;
  /** The user, if several share the core. */
  readonly user?: string | undefined;
  readonly app: string;
  readonly mode: string;
}

/** How a request ended: with a response, or cancelled without one. */
export type StepEnd = Message | 'cancelled';

/** Cancels a request for the user: it ends at once, and its app is told that the user cancelled it. */
export interface Canceller {
  cancel(exchange: ClientRequest): void;
}

/** Records every request and its end. */
export interface StepRecorder {
  /** For a step that begins then, in ms since the epoch: grows with the time, over restarts as well. */
  readonly idAt: (startedAt: number) => number;
  start(exchange: ClientRequest, owner: () => StepOwner): void;
  /** Ends a step unless it has already ended. Returns at once. */
  end(exchange: ClientRequest, end: StepEnd, owner: StepOwner): void;
}

interface RecordedRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The id of a step that begins then, in ms since the epoch. */
  readonly idAt: (startedAt: number) => number;
  /** ms since the epoch. */
  readonly now: number;
}

/** Receives the calls of a request, which are counted there. */
interface RequestCounts {
  readonly activity: Pick<ActivityLog, 'defer' | 'post' | 'share'>;
  readonly taker: ResultIntake;
  /** A model reads what the app is sent. */
  readonly isRead: boolean;
}

export class ClientRequest {
  /** Id of its step. */
  readonly id: number;
  /** ms since the epoch, and on the clock that times are measured with. */
  readonly startedAt: number;
  readonly startedTick = performance.now();
  readonly method: string;
  readonly params: JsonObject;
  readonly #counts: RequestCounts;
  readonly #late: (call: LedgerCall, texts: LedgerCallTexts) => void;
  readonly #ran: FinishedCallInfo[] = [];
  #isOver = false;
  /** The last progress that the server reported. */
  progress: Progress | undefined;
  /** Cancels the request for the user; undefined if it cannot be cancelled. */
  canceller: Canceller | undefined;

  /** `late` is called for calls that end after the request was answered with a handle or a question. */
  constructor(
    { method, params, idAt, now }: RecordedRequest,
    counts: RequestCounts,
    late: (call: LedgerCall, texts: LedgerCallTexts) => void,
  ) {
    this.startedAt = now;
    this.id = idAt(now);
    this.method = method;
    this.params = params;
    this.#counts = counts;
    this.#late = late;
  }

  /** A call that ran for this request is over. Returns at once. */
  addCall(call: LedgerCall): void {
    const { server, tool, via, outcome } = call;
    if (this.#ran.length < maxFinishedCalls) this.#ran.push({ server, tool, via, outcome });
    const { activity, isRead } = this.#counts;
    if (!isRead) return;
    if (this.#isOver) activity.defer(() => this.#late(call, this.#textsOf(call)));
    else activity.defer(() => activity.post({ kind: 'ledgerCall', request: this.id, call: this.#textsOf(call) }));
  }

  /** Calls that ran for it and are over. */
  get finishedCalls(): readonly FinishedCallInfo[] {
    return this.#ran;
  }

  /** A notification about how far something is: of this request where it bears its token. */
  noteProgress(params: JsonObject): void {
    const token = objectOrEmpty(this.params['_meta'])['progressToken'];
    const { progressToken, progress, total, message } = params;
    if (token === undefined || token !== progressToken || typeof progress !== 'number') return;
    this.progress = {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message: message.slice(0, maxProgressMessageLength) }),
    };
  }

  /** Called when the response has been sent. */
  close(): void {
    this.#isOver = true;
    // The record is created later; the connection and the HTTP response are not retained until then.
    this.canceller = undefined;
  }

  #textsOf({ server, tool, via, result, given }: LedgerCall): LedgerCallTexts {
    const { activity, taker } = this.#counts;
    const isUntouched = result === given;
    const spilled = isUntouched || given === undefined ? undefined : countedWhenSpilled(given);
    // A result that was counted when it was spilled is needed for its size only.
    const isKnown = spilled !== undefined && result instanceof RawJson;
    const texts = {
      result: isKnown ? { bytes: result.byteLength, text: undefined } : activity.share(result),
      given: activity.share(given),
    };
    return { server, tool, via, ...texts, isUntouched, spilled, taker };
  }
}

/**
 * The token count that was returned with the result. The cost of images and audio depends on the model, so no count
 * includes it: spilling them is not reported as a saving of their bytes.
 */
function countedWhenSpilled(given: Result): TokenCount | undefined {
  const facts = given instanceof RawJson ? undefined : parseSpillInfo(given);
  return facts && { tokens: facts.resultTokens, estimated: facts.tokensEstimated };
}
