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
import {
  type ResultKind,
  classifyResult,
  type Cause,
  type LedgerEntry,
  createLedgerEntry,
  argumentsOf,
  type KindOfHelper,
} from './ledger-entry.ts';
import { type ResultIntake, countIngested } from './ingested-tokens.ts';
import { attributeResult, type CountedCall } from './attribute-result.ts';
import { type StepRef, ClientRequest, type StepRecorder, type StepOwner } from './client-request.ts';
import { ListAccounting, type ListAccountingDeps, type ListReader } from './list-accounting.ts';
import { listMethods } from './baseline.ts';

export interface LedgerSessionOptions {
  readonly id: string;
  /** User in a team. */
  readonly user?: string | undefined;
  /** Who reads along, asked once a frame: a handshake may change all of it. */
  readonly who: () => Who;
}

interface Who {
  readonly app: string;
  readonly mode: string;
  /** The name from its handshake; Tooltray's own name during a connection test on behalf of the app. */
  readonly client: string;
}

/** Cached facts about an app, so that no frame has to look them up. */
interface Standing {
  readonly app: string;
  readonly client: string;
  /** A model reads what it is sent. */
  readonly isRead: boolean;
  readonly defers: boolean;
  readonly taker: ResultIntake;
}

interface SessionParts extends ListAccountingDeps {
  readonly defersTools: (app: string) => boolean;
  readonly hasModel: (app: string) => boolean;
  readonly kindOf: KindOfHelper;
  readonly acceptsResults: (app: string) => ResultIntake;
  /** `step`: of which request they are. */
  readonly enter: (
    entries: Promise<readonly LedgerEntry[]>,
    owner: { id: string; user: string | undefined; app: string; mode: string },
    step: StepRef | undefined,
  ) => void;
  /** Does what no answer is to wait for, when there is time. */
  readonly later: (work: () => void) => void;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly steps: Pick<StepRecorder, 'idAt' | 'start' | 'end'>;
  readonly ended: (session: LedgerSession) => void;
}

const introductions: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const spillAddress = 'tooltray://spill/';
/** Calls that ended after their request was answered, and whose answers nobody came for. */
const maxLateRequests = 100;

export class LedgerSession {
  readonly #facts: LedgerSessionOptions;
  readonly #parts: SessionParts;
  readonly #lists: ListAccounting;
  #late: Promise<CountedCall>[] = [];
  #standing: Standing | undefined;

  constructor(facts: LedgerSessionOptions, parts: SessionParts) {
    this.#facts = facts;
    this.#parts = parts;
    this.#lists = new ListAccounting(parts);
  }

  /** A request has come. */
  onRequest(method: string, params: JsonObject): ClientRequest {
    const { steps, counter, now } = this.#parts;
    // A caller has usually called before.
    const { taker } = this.#standing ?? this.#of(this.#facts.who());
    const exchange = new ClientRequest({ method, params, idAt: steps.idAt, now: now() }, { counter, taker }, (call) => {
      if (this.#late.push(call) > maxLateRequests) void this.#late.shift();
    });
    steps.start(exchange, this.#owner);
    return exchange;
  }

  /** A request was cancelled: no response is sent. */
  onCancelled(exchange: ClientRequest): void {
    this.#parts.steps.end(exchange, 'cancelled', this.#owner());
    exchange.close();
  }

  /** The app has answered a question of ours; `asked` received that question. */
  onResponse(message: Message, exchange: ClientRequest): void {
    this.#parts.steps.end(exchange, message, this.#owner());
    exchange.close();
  }

  readonly #owner = ({ app, mode } = this.#facts.who()): StepOwner => {
    return { sessionId: this.#facts.id, user: this.#facts.user, app, mode };
  };

  /** A frame has gone out; `exchange` is the request that it answers. Returns at once. */
  onSent(message: Message, exchange: ClientRequest | undefined): void {
    const who = this.#facts.who();
    if (this.#of(who).isRead) {
      const book = (late: Promise<CountedCall>[]): void =>
        this.#enter(this.#book(message, exchange, who, late), who, exchange);
      // Lists are compared with the current servers, and late calls belong to the caller that has fetched them by now.
      if (exchange?.method === 'tools/call' && this.#late.length === 0) this.#parts.later(() => book([]));
      else book(this.#late);
    }
    if (exchange === undefined) return;
    this.#parts.steps.end(exchange, message, this.#owner(who));
    exchange.close();
  }

  /** Called when the tools, resources or prompts of the servers have changed. */
  serversChanged(): void {
    const who = this.#facts.who();
    const entries = this.#of(who).isRead ? this.#lists.serversChanged(this.#reader(who)) : undefined;
    if (entries !== undefined) this.#enter(entries, who);
  }

  end(): void {
    this.#parts.ended(this);
  }

  #of({ app, client }: Who): Standing {
    const { defersTools, hasModel, acceptsResults } = this.#parts;
    if (this.#standing?.app !== app || this.#standing.client !== client) {
      const isRead = hasModel(app) && hasModel(client);
      this.#standing = { app, client, isRead, defers: defersTools(app), taker: acceptsResults(app) };
    }
    return this.#standing;
  }

  #reader(who: Who): ListReader {
    return { direct: who.mode === 'server', defers: this.#of(who).defers };
  }

  #enter(entries: Promise<readonly LedgerEntry[]>, { app, mode }: Who, exchange?: ClientRequest): void {
    this.#parts.enter(entries, { id: this.#facts.id, user: this.#facts.user, app, mode }, exchange);
  }

  /** `late`: calls that ended after their request was answered; who comes for them takes them out. */
  #book(
    message: Message,
    exchange: ClientRequest | undefined,
    who: Who,
    late: Promise<CountedCall>[],
  ): Promise<readonly LedgerEntry[]> {
    if ('method' in message) {
      this.#lists.onNotified(message.method);
      return this.#plain('other', '', message.params);
    }
    if (isFailure(message)) return this.#plain('other', '', message.error);
    if (exchange === undefined) return this.#plain('other', '', message.result);
    return this.#answered(message.result, exchange, who, late);
  }

  #answered(
    result: Result,
    exchange: ClientRequest,
    who: Who,
    late: Promise<CountedCall>[],
  ): Promise<readonly LedgerEntry[]> {
    const { method, params } = exchange;
    const key = listMethods.get(method);
    if (key !== undefined) return this.#lists.list(key, result, this.#reader(who));
    if (introductions.has(method)) return this.#lists.introduction(result, this.#reader(who));
    if (method === 'tools/call' && scalarOf(result, 'resultType') !== 'input_required')
      return this.#answer(result, exchange, who, late);
    if (toText(params['uri']).startsWith(spillAddress)) return this.#plain('readback', method, result);
    return this.#plain('other', '', result);
  }

  async #plain(cause: Cause, tool: string, payload: unknown): Promise<readonly LedgerEntry[]> {
    return [createLedgerEntry(cause, '', tool, { times: 1, sent: await this.#parts.counter.count(payload) })];
  }

  async #answer(
    result: Result,
    { params, calls: own }: ClientRequest,
    who: Who,
    late: Promise<CountedCall>[],
  ): Promise<readonly LedgerEntry[]> {
    const tool = toText(params['name']);
    const { mode } = who;
    const { kindOf } = this.#parts;
    // An answer after a question: the call began with an earlier request.
    const kind: ResultKind =
      params['requestState'] === undefined ? classifyResult(tool, argumentsOf(params), mode, kindOf) : 'await';
    const running = [...own, ...(kind === 'await' ? late.splice(0) : [])];
    const { counter } = this.#parts;
    const [tokens, calls] = await Promise.all([counter.count(result), Promise.all(running)]);
    const read = await countIngested(result, tokens, this.#of(who).taker, counter);
    // What stands for a server in mode `gateway` says of itself which tools there are.
    const shown = kind === 'direct' && mode === 'gateway' && calls.length === 0 ? 'discovery' : kind;
    const definitions = await this.#lists.definitions(tool, calls, this.#reader(who));
    return [...attributeResult({ kind: shown, tool, tokens, read, calls }), ...definitions];
  }
}
