/**
 * What crosses the line of one client app, frame by frame: each counted, put under its cause and set against what the app
 * would have loaded without us.
 *
 * The unit: o200k tokens of the JSON text of a frame's payload: the value of `result` in an answer, of `error` in a failure, of
 * `params` in a notification or a question of ours. The envelope around it (jsonrpc, id, method) is not counted, on neither side.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { isFailure, type Message, type Result } from '../../wire/message.ts';
import { fact } from '../../wire/raw-json.ts';
import type { TokenCount } from '../token-counter.ts';
import { type AnswerKind, answerKind, inputOf } from './answer-kind.ts';
import { Baseline, type ListedServer, type Owed } from './baseline.ts';
import { bookAnswer, type CountedCall } from './book-answer.ts';
import { DeferredTools } from './deferred-tools.ts';
import { type Entry, entryOf } from './entry.ts';
import { Exchange } from './exchange.ts';
import { type ListKey, listMethods, type ListTexts } from './list-texts.ts';
import type { PayloadCounter } from './payload-counter.ts';

export interface SessionFacts {
  readonly id: string;
  /** The client app and the mode, asked at every frame: a handshake may change both. */
  readonly app: () => string;
  readonly mode: () => string;
}

export interface SessionParts {
  readonly counter: PayloadCounter;
  readonly lists: ListTexts;
  /** The servers there are now. */
  readonly servers: () => readonly ListedServer[];
  readonly defersTools: (app: string) => boolean;
  readonly enter: (entries: Promise<readonly Entry[]>, session: { id: string; app: string; mode: string }) => void;
  readonly ended: (session: LedgerSession) => void;
}

const introductions: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const announcements: ReadonlyMap<string, readonly ListKey[]> = new Map<string, readonly ListKey[]>([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
  ['notifications/prompts/list_changed', ['prompts']],
]);
const spillAddress = 'tooltray://spill/';
/** Calls that ended after their request was answered, and whose answers nobody came for. */
const mostLate = 100;

export class LedgerSession {
  readonly #facts: SessionFacts;
  readonly #parts: SessionParts;
  readonly #baseline = new Baseline();
  readonly #deferred = new DeferredTools();
  #late: Promise<CountedCall>[] = [];

  constructor(facts: SessionFacts, parts: SessionParts) {
    this.#facts = facts;
    this.#parts = parts;
  }

  /** A request has come. */
  asked(method: string, params: JsonObject): Exchange {
    return new Exchange(method, params, this.#parts.counter, (call) => {
      if (this.#late.push(call) > mostLate) void this.#late.shift();
    });
  }

  /** A frame has gone out; `exchange` is the request that it answers. Returns at once. */
  sent(message: Message, exchange: Exchange | undefined): void {
    if ('method' in message) this.#told(message.method, message.params);
    else if (isFailure(message)) this.#failed(message.error, exchange);
    else if (exchange !== undefined) this.#answered(message.result, exchange);
    else this.#enter(this.#other(message.result));
  }

  /** What servers offer is not what it was. */
  serversChanged(): void {
    if (this.#mode === 'server') return;
    const owed = this.#baseline.serversChanged(this.#parts.servers());
    if (owed.instructions.length + owed.lists.length > 0) this.#enter(this.#owed(owed));
  }

  end(): void {
    this.#parts.ended(this);
  }

  get #mode(): string {
    return this.#facts.mode();
  }

  get #defers(): boolean {
    return this.#parts.defersTools(this.#facts.app());
  }

  #enter(entries: Promise<readonly Entry[]>): void {
    const { id, app } = this.#facts;
    this.#parts.enter(entries, { id, app: app(), mode: this.#mode });
  }

  #told(method: string, params: JsonObject | undefined): void {
    this.#baseline.announce(announcements.get(method) ?? []);
    this.#enter(this.#other(params));
  }

  #failed(error: unknown, exchange: Exchange | undefined): void {
    exchange?.close();
    this.#enter(this.#other(error));
  }

  #answered(result: Result, exchange: Exchange): void {
    const { method, params } = exchange;
    const key = listMethods.get(method);
    if (key !== undefined) this.#enter(this.#list(key, result));
    else if (introductions.has(method)) this.#enter(this.#introduction(result));
    else if (method === 'tools/call') this.#enter(this.#answer(result, exchange));
    else if (String(params['uri']).startsWith(spillAddress)) this.#enter(this.#readBack(result));
    else this.#enter(this.#other(result));
    if (method !== 'tools/call') exchange.close();
  }

  async #other(payload: unknown): Promise<readonly Entry[]> {
    return [entryOf('other', '', '', { times: 1, sent: await this.#parts.counter.count(payload) })];
  }

  async #readBack(result: Result): Promise<readonly Entry[]> {
    return [entryOf('readback', '', 'resources/read', { times: 1, sent: await this.#parts.counter.count(result) })];
  }

  async #introduction(result: Result): Promise<readonly Entry[]> {
    const own = this.#mode === 'server';
    const owed = own ? [] : this.#owed(this.#baseline.introduce(this.#parts.servers()));
    const sent = await this.#parts.counter.count(result);
    const entry = entryOf('instructions', '', '', { times: 1, sent, ...(own && { baseline: sent }) });
    return [entry, ...(await owed)];
  }

  async #list(key: ListKey, result: Result): Promise<readonly Entry[]> {
    const own = this.#mode === 'server';
    const tools = key === 'tools' && this.#defers ? toolsOf(result) : undefined;
    const owed = own ? [] : this.#owed(this.#baseline.list(key, this.#parts.servers()));
    if (tools !== undefined) this.#deferred.list(tools);
    const sent = await this.#parts.counter.count(result);
    const loaded = tools === undefined ? sent : await this.#parts.lists.lines(tools);
    const entry = entryOf('lists', '', '', { times: 1, sent, loaded, ...(own && { baseline: loaded }) });
    return [entry, ...(await owed)];
  }

  async #owed({ instructions, lists }: Owed): Promise<readonly Entry[]> {
    const { counter, lists: texts } = this.#parts;
    const deferred = this.#defers;
    const of = (key: ListKey, entries: readonly JsonObject[]): Promise<TokenCount> =>
      deferred && key === 'tools' ? texts.lines(entries) : texts.whole(key, entries);
    return Promise.all([
      ...instructions.map(async ({ server, text }) =>
        entryOf('instructions', server, '', { baseline: await counter.countText(() => text) }),
      ),
      ...lists.map(async ({ server, key, entries }) =>
        entryOf('lists', server, '', { baseline: await of(key, entries) }),
      ),
    ]);
  }

  async #answer(result: Result, exchange: Exchange): Promise<readonly Entry[]> {
    if (fact(result, 'resultType') === 'input_required') {
      exchange.close();
      return this.#other(result);
    }
    const { params } = exchange;
    const tool = String(params['name']);
    const mode = this.#mode;
    // An answer after a question: the call began with an earlier request.
    const kind: AnswerKind = params['requestState'] === undefined ? answerKind(tool, inputOf(params), mode) : 'await';
    const running = [...exchange.calls, ...(kind === 'await' ? this.#late.splice(0) : [])];
    exchange.close();
    const { defersTools, counter, servers: listed } = this.#parts;
    const defers = mode !== 'server' && defersTools(this.#facts.app());
    const servers = defers ? listed() : [];
    const [tokens, calls] = await Promise.all([counter.count(result), Promise.all(running)]);
    // What stands for a server in mode `gateway` says of itself which tools there are.
    const shown = kind === 'direct' && mode === 'gateway' && calls.length === 0 ? 'discovery' : kind;
    const entries = bookAnswer({ kind: shown, tool, tokens, calls });
    return defers ? [...entries, ...(await this.#definitions(tool, calls, servers))] : entries;
  }

  /** What an app that defers tools loads of definitions for this call: of ours, and without us. */
  async #definitions(
    tool: string,
    calls: readonly CountedCall[],
    servers: readonly ListedServer[],
  ): Promise<readonly Entry[]> {
    const { counter } = this.#parts;
    const own = this.#deferred.use(tool);
    return Promise.all([
      ...(own === undefined ? [] : [own]).map(async (definition) =>
        entryOf('lists', '', tool, { loaded: await counter.count(definition) }),
      ),
      ...this.#deferred
        .called(calls, servers)
        .map(async ({ server, tool: name, definition }) =>
          entryOf('lists', server, name, { baseline: await counter.count(definition) }),
        ),
    ]);
  }
}

function toolsOf(result: Result): readonly JsonObject[] {
  const tools = fact(result, 'tools');
  return Array.isArray(tools) ? (tools as unknown[]).filter(isObject) : [];
}
