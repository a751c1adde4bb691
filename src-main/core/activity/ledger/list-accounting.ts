/** Counts raw bytes; beyond 4 MB every caller gets the same estimate from samples. */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Result } from '../../wire/message.ts';
import { scalarOf } from '../../wire/raw-json.ts';
import type { TokenCount } from '../token-counter.ts';
import {
  Baseline,
  DeferredTools,
  type ListedServer,
  type ListKey,
  type ListTokenCounter,
  type BaselineIncrement,
} from './baseline.ts';
import type { CountedCall } from './attribute-result.ts';
import { type LedgerEntry, createLedgerEntry } from './ledger-entry.ts';
import type { PayloadCounter } from './payload-counter.ts';

export interface ListAccountingDeps {
  readonly counter: PayloadCounter;
  readonly lists: ListTokenCounter;
  /** The servers there are now. */
  readonly servers: () => readonly ListedServer[];
}

/** How the app takes lists at the time of a frame. */
export interface ListReader {
  /** It is connected to one server alone: nothing would be different without us. */
  readonly direct: boolean;
  /** It keeps tools out of the context until it needs them. */
  readonly defers: boolean;
}

const announcements: ReadonlyMap<string, readonly ListKey[]> = new Map<string, readonly ListKey[]>([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
  ['notifications/prompts/list_changed', ['prompts']],
]);

export class ListAccounting {
  readonly #parts: ListAccountingDeps;
  readonly #baseline = new Baseline();
  readonly #deferred = new DeferredTools();

  constructor(parts: ListAccountingDeps) {
    this.#parts = parts;
  }

  /** The app was sent this notification. */
  onNotified(method: string): void {
    this.#baseline.announce(announcements.get(method) ?? []);
  }

  /** Undefined if this app would not have been notified of anything. */
  serversChanged({ direct, defers }: ListReader): Promise<readonly LedgerEntry[]> | undefined {
    if (direct) return undefined;
    const owed = this.#baseline.serversChanged(this.#parts.servers());
    return owed.instructions.length + owed.lists.length === 0 ? undefined : this.#owed(owed, defers);
  }

  async introduction(result: Result, { direct, defers }: ListReader): Promise<readonly LedgerEntry[]> {
    const owed = direct ? [] : this.#owed(this.#baseline.introduce(this.#parts.servers()), defers);
    const sent = await this.#parts.counter.count(result);
    const entry = createLedgerEntry('instructions', '', '', { times: 1, sent, ...(direct && { baseline: sent }) });
    return [entry, ...(await owed)];
  }

  async list(key: ListKey, result: Result, { direct, defers }: ListReader): Promise<readonly LedgerEntry[]> {
    const tools = key === 'tools' && defers ? toolsOf(result) : undefined;
    const owed = direct ? [] : this.#owed(this.#baseline.list(key, this.#parts.servers()), defers);
    if (tools !== undefined) this.#deferred.list(tools);
    const sent = await this.#parts.counter.count(result);
    const loaded = tools === undefined ? sent : await this.#parts.lists.countSummaries(tools);
    const entry = createLedgerEntry('lists', '', '', { times: 1, sent, loaded, ...(direct && { baseline: loaded }) });
    return [entry, ...(await owed)];
  }

  /** Returns the definitions that an app that defers tools loads for a call: Tooltray's, and those without Tooltray. */
  definitions(
    tool: string,
    calls: readonly CountedCall[],
    { direct, defers }: ListReader,
  ): Promise<readonly LedgerEntry[]> {
    if (direct || !defers) return Promise.resolve([]);
    const { counter, servers } = this.#parts;
    const own = this.#deferred.use(tool);
    const loaded = (own === undefined ? [] : [own]).map(async (definition) =>
      createLedgerEntry('lists', '', tool, { loaded: await counter.count(definition) }),
    );
    const baseline = this.#deferred
      .takeFirstCalls(calls, servers())
      .map(async ({ server, tool: name, definition }) =>
        createLedgerEntry('lists', server, name, { baseline: await counter.count(definition) }),
      );
    return Promise.all([...loaded, ...baseline]);
  }

  #owed({ instructions, lists }: BaselineIncrement, defers: boolean): Promise<readonly LedgerEntry[]> {
    const { counter, lists: texts } = this.#parts;
    const of = (key: ListKey, entries: readonly JsonObject[]): Promise<TokenCount> =>
      defers && key === 'tools' ? texts.countSummaries(entries) : texts.countFull(key, entries);
    return Promise.all([
      ...instructions.map(async ({ server, text }) =>
        createLedgerEntry('instructions', server, '', { baseline: await counter.countText(() => text) }),
      ),
      ...lists.map(async ({ server, key, entries }) =>
        createLedgerEntry('lists', server, '', { baseline: await of(key, entries) }),
      ),
    ]);
  }
}

function toolsOf(result: Result): readonly JsonObject[] {
  const tools = scalarOf(result, 'tools');
  return Array.isArray(tools) ? (tools as unknown[]).filter(isObject) : [];
}
