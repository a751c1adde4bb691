/**
 * Counts the frames between Tooltray and one client app, attributes each to its cause, and compares it with what the
 * app would
 * have loaded without Tooltray.
 *
 * The unit: o200k tokens of the JSON text of a frame's payload: `result` of a response, `error` of a failure, `params`
 * of a
 * notification or of a request from Tooltray. The envelope (jsonrpc, id, method) is not counted on either side.
 */
import { toText, type JsonObject } from '../../base/json.ts';
import { isFailure, type Message, type Result } from '../../wire/message.ts';
import { scalarOf } from '../../wire/raw-json.ts';
import type { ActivityLog } from '../activity-log.ts';
import type { Booking, LedgerText } from '../activity-messages.ts';
import { type ListedServer, listMethods } from './baseline.ts';
import { type CalledTool, ClientRequest, type StepOwner, type StepRecorder } from './client-request.ts';
import { argumentsOf, type Cause, classifyResult, type KindOfHelper, type ResultIntake } from './ledger-entry.ts';
import { ListAccounting, type ListReader } from './list-accounting.ts';

export interface LedgerSessionOptions {
  readonly id: string;
  /** The user, if several share the core. */
  readonly user?: string | undefined;
  /** Returns the reader's identity; called once per frame, because a handshake may change it. */
  readonly who: () => Who;
}

interface Who {
  readonly app: string;
  readonly mode: string;
  /** The name from its handshake; Tooltray's own name during a connection test on behalf of the app. */
  readonly client: string;
}

/** Cached facts about an app, so that no frame has to look them up. */
interface SessionState {
  readonly app: string;
  readonly client: string;
  /** Whether a model reads what the app is sent. */
  readonly isRead: boolean;
  readonly defers: boolean;
  readonly taker: ResultIntake;
}

interface SessionParts {
  readonly activity: Pick<ActivityLog, 'defer' | 'post' | 'share' | 'shareText'>;
  /** Returns the current servers. */
  readonly servers: () => readonly ListedServer[];
  readonly defersTools: (app: string) => boolean;
  readonly hasModel: (app: string) => boolean;
  readonly kindOf: KindOfHelper;
  readonly acceptsResults: (app: string) => ResultIntake;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly steps: StepRecorder;
  readonly ended: (session: LedgerSession) => void;
}

const introductions: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const spillAddress = 'tooltray://spill/';
/** Maximum number of calls that ended after their request and whose results were never fetched. */
const maxLateCalls = 100;

/** The addition of a frame to the ledger, without its owner and time. */
type Entry = Omit<Booking, 'owner' | 'step' | 'at'>;

export class LedgerSession {
  readonly #facts: LedgerSessionOptions;
  readonly #number: number;
  readonly #parts: SessionParts;
  readonly #lists: ListAccounting;
  /** Calls that ended after their request was answered. */
  #late: CalledTool[] = [];
  #state: SessionState | undefined;

  /** `number`: unique among the sessions of the core. */
  constructor(facts: LedgerSessionOptions, number: number, parts: SessionParts) {
    this.#facts = facts;
    this.#number = number;
    this.#parts = parts;
    this.#lists = new ListAccounting(parts.activity, parts.servers);
  }

  /** Called when a request arrives. */
  onRequest(method: string, params: JsonObject): ClientRequest {
    const { activity, steps, now } = this.#parts;
    // Most requests repeat the previous lookup.
    const { taker, isRead } = this.#state ?? this.#of(this.#facts.who());
    const request = { method, params, idAt: steps.idAt, now: now() };
    const exchange = new ClientRequest(request, { activity, taker, isRead }, ({ server, tool }, call) => {
      this.#late = [...this.#late, { server, tool }].slice(-maxLateCalls);
      activity.post({ kind: 'lateCall', session: this.#number, call });
    });
    steps.start(exchange, this.#owner);
    return exchange;
  }

  /** Called when a request was cancelled and no response is sent. */
  onCancelled(exchange: ClientRequest): void {
    this.#parts.steps.end(exchange, 'cancelled', this.#owner());
    this.#close(exchange);
  }

  /** Called when the app has answered a request of Tooltray, which `exchange` represents. */
  onResponse(message: Message, exchange: ClientRequest): void {
    this.#parts.steps.end(exchange, message, this.#owner());
    this.#close(exchange);
  }

  readonly #owner = ({ app, mode } = this.#facts.who()): StepOwner => {
    return { sessionId: this.#facts.id, user: this.#facts.user, app, mode };
  };

  /** Called when a frame was sent; `exchange` is the request that it answers. Returns at once. */
  onSent(message: Message, exchange: ClientRequest | undefined): void {
    const who = this.#facts.who();
    const isRead = this.#of(who).isRead;
    if (exchange !== undefined) this.#parts.steps.end(exchange, message, this.#owner(who));
    if (isRead) this.#book(message, exchange, who);
    exchange?.close();
  }

  /** Called when the tools, resources or prompts of the servers have changed. */
  serversChanged(): void {
    const who = this.#facts.who();
    const others = this.#of(who).isRead ? this.#lists.serversChanged(this.#reader(who)) : [];
    if (others.length > 0) this.#post({ ...nothing, others }, who, undefined, this.#parts.now());
  }

  end(): void {
    this.#parts.activity.post({ kind: 'sessionEnded', session: this.#number });
    this.#parts.ended(this);
  }

  #of({ app, client }: Who): SessionState {
    const { defersTools, hasModel, acceptsResults } = this.#parts;
    if (this.#state?.app !== app || this.#state.client !== client) {
      const isRead = hasModel(app) && hasModel(client);
      this.#state = { app, client, isRead, defers: defersTools(app), taker: acceptsResults(app) };
    }
    return this.#state;
  }

  #reader(who: Who): ListReader {
    return { direct: who.mode === 'server', defers: this.#of(who).defers };
  }

  #close(exchange: ClientRequest): void {
    exchange.close();
    if (exchange.finishedCalls.length === 0) return;
    const { activity } = this.#parts;
    activity.defer(() => activity.post({ kind: 'requestEnded', request: exchange.id }));
  }

  #post(entry: Entry, { app, mode }: Who, step: number | undefined, at: number): void {
    const owner = { id: this.#facts.id, user: this.#facts.user, app, mode };
    this.#parts.activity.post({ kind: 'booking', ...entry, owner, step, at });
  }

  /** Texts are formatted after the response was sent; servers and lists are compared in their current state. */
  #book(message: Message, exchange: ClientRequest | undefined, who: Who): void {
    const makeEntry = this.#entryOf(message, exchange, who);
    // Booked in the hour of its step, so that sums over a period match its steps.
    const at = exchange?.startedAt ?? this.#parts.now();
    this.#parts.activity.defer(() => this.#post(makeEntry(), who, exchange?.id, at));
  }

  #entryOf(message: Message, exchange: ClientRequest | undefined, who: Who): () => Entry {
    if ('method' in message) {
      this.#lists.onNotified(message.method);
      return () => this.#plain('other', '', message.params);
    }
    if (isFailure(message)) return () => this.#plain('other', '', message.error);
    const { result } = message;
    if (exchange === undefined) return () => this.#plain('other', '', result);
    const { method, params } = exchange;
    const key = listMethods.get(method);
    if (key !== undefined) {
      const reader = this.#reader(who);
      const list = this.#lists.list(key, result, reader);
      return () => ({ ...this.#plain('lists', '', result), ...list(), isDirect: reader.direct });
    }
    if (introductions.has(method)) {
      const reader = this.#reader(who);
      const others = this.#lists.introduction(reader);
      return () => ({ ...this.#plain('instructions', '', result), others, isDirect: reader.direct });
    }
    if (method === 'tools/call' && scalarOf(result, 'resultType') !== 'input_required')
      return () => this.#result(result, exchange, who);
    if (toText(params['uri']).startsWith(spillAddress)) return () => this.#plain('readback', method, result);
    return () => this.#plain('other', '', result);
  }

  #plain(cause: Cause, tool: string, payload: unknown): Entry {
    return { ...nothing, cause, tool, payload: this.#parts.activity.share(payload) };
  }

  #result(result: Result, { id, params, finishedCalls }: ClientRequest, who: Who): Entry {
    const tool = toText(params['name']);
    // A result after an input request: the call began with an earlier request.
    const kind =
      params['requestState'] === undefined
        ? classifyResult(tool, argumentsOf(params), who.mode, this.#parts.kindOf)
        : 'await';
    const calls = kind === 'await' ? [...finishedCalls, ...this.#late.splice(0)] : finishedCalls;
    const lateOf = kind === 'await' ? this.#number : undefined;
    return {
      ...this.#plain('results', tool, result),
      others: this.#lists.definitions(tool, calls, this.#reader(who)),
      result: { kind, request: id, taker: this.#of(who).taker, lateOf },
    };
  }
}

const nothing = {
  cause: 'other',
  tool: '',
  payload: undefined,
  isDirect: false,
  others: [] as readonly LedgerText[],
} as const;
