/** One request of a client app, from its arrival until its response was sent, and its calls. */
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { parseSpillInfo } from '../../spills/spill.ts';
import type { Message, Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { CallOutcome } from '../call-record.ts';
import type { ActivityLog } from '../activity-log.ts';
import type { LedgerCallTexts } from '../activity-messages.ts';
import type { TokenCount } from '../call-record.ts';
import type { ResultIntake } from './ledger-entry.ts';

/** A finished call of a server's tool. */
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

/** A called tool of a server. */
export interface CalledTool {
  readonly server: string;
  readonly tool: string;
}

/** A finished call of a request, with the fields that its step needs. */
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

/** Maximum length of a progress message, in characters. */
const maxProgressMessageLength = 200;

/** Maximum number of recorded calls per request; a program may make more. */
const maxFinishedCalls = 1000;

/** The owner of a step when the request ends, because `initialize` may change it. */
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
  /**
   * Returns the id for a step that starts at this time, in ms since the epoch; ids increase with time, across
   * restarts.
   */
  readonly idAt: (startedAt: number) => number;
  start(exchange: ClientRequest, owner: () => StepOwner): void;
  /** Ends a step unless it has already ended. Returns at once. */
  end(exchange: ClientRequest, end: StepEnd, owner: StepOwner): void;
}

interface RecordedRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The id for a step that starts at this time, in ms since the epoch. */
  readonly idAt: (startedAt: number) => number;
  /** ms since the epoch. */
  readonly now: number;
}

/** Receives the calls of a request, which are counted there. */
interface RequestCounts {
  readonly activity: Pick<ActivityLog, 'defer' | 'post' | 'share'>;
  readonly taker: ResultIntake;
  /** Whether a model reads what the app is sent. */
  readonly isRead: boolean;
}

export class ClientRequest {
  /** Id of its step. */
  readonly id: number;
  /** In ms since the epoch, and by `performance.now()`. */
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

  /** Adds a finished call of this request. Returns at once. */
  addCall(call: LedgerCall): void {
    const { server, tool, via, outcome } = call;
    if (this.#ran.length < maxFinishedCalls) this.#ran.push({ server, tool, via, outcome });
    const { activity, isRead } = this.#counts;
    if (!isRead) return;
    if (this.#isOver) activity.defer(() => this.#late(call, this.#textsOf(call)));
    else activity.defer(() => activity.post({ kind: 'ledgerCall', request: this.id, call: this.#textsOf(call) }));
  }

  /** Finished calls of the request. */
  get finishedCalls(): readonly FinishedCallInfo[] {
    return this.#ran;
  }

  /** Records a progress notification if it has this request's token. */
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
    // The record is created later, without retaining the connection and the HTTP response.
    this.canceller = undefined;
  }

  #textsOf({ server, tool, via, result, given }: LedgerCall): LedgerCallTexts {
    const { activity, taker } = this.#counts;
    const isUntouched = result === given;
    const spilled = isUntouched || given === undefined ? undefined : countedWhenSpilled(given);
    // Only the size of a result is needed if it was counted when spilled.
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
