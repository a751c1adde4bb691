/** Texts that lists, instructions and definitions add to a session's ledger, on both sides of the comparison. */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Result } from '../../wire/message.ts';
import { scalarOf } from '../../wire/raw-json.ts';
import type { ActivityLog } from '../activity-log.ts';
import type { LedgerText, SharedText } from '../activity-messages.ts';
import {
  Baseline,
  type BaselineIncrement,
  DeferredTools,
  type ListedServer,
  type ListKey,
  toLine,
} from './baseline.ts';
import type { CalledTool } from './client-request.ts';

/** How the client app handles lists at the time of a message. */
export interface ListReader {
  /** Whether it is connected to a single server, so that nothing differs without Tooltray. */
  readonly direct: boolean;
  /** Whether it loads tools on demand. */
  readonly defers: boolean;
}

const announcements: ReadonlyMap<string, readonly ListKey[]> = new Map<string, readonly ListKey[]>([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
  ['notifications/prompts/list_changed', ['prompts']],
]);

export class ListAccounting {
  readonly #activity: Pick<ActivityLog, 'share' | 'shareText'>;
  readonly #servers: () => readonly ListedServer[];
  readonly #baseline = new Baseline();
  readonly #deferred = new DeferredTools();

  /** `servers`: returns the current ones. */
  constructor(activity: Pick<ActivityLog, 'share' | 'shareText'>, servers: () => readonly ListedServer[]) {
    this.#activity = activity;
    this.#servers = servers;
  }

  /** Called when this notification was sent to the app. */
  onNotified(method: string): void {
    this.#baseline.announce(announcements.get(method) ?? []);
  }

  /** Empty if nothing changed that this app would have received. */
  serversChanged({ direct, defers }: ListReader): readonly LedgerText[] {
    return direct ? [] : this.#owed(this.#baseline.serversChanged(this.#servers()), defers);
  }

  introduction({ direct, defers }: ListReader): readonly LedgerText[] {
    return direct ? [] : this.#owed(this.#baseline.introduce(this.#servers()), defers);
  }

  /** Returns a function that creates the texts, because they may be long. */
  list(
    key: ListKey,
    result: Result,
    { direct, defers }: ListReader,
  ): () => { readonly loaded: SharedText | undefined; readonly others: readonly LedgerText[] } {
    const tools = key === 'tools' && defers ? toolsOf(result) : undefined;
    const increment = direct ? undefined : this.#baseline.list(key, this.#servers());
    if (tools !== undefined) this.#deferred.list(tools);
    return () => ({
      loaded: tools && this.#summaries(tools),
      others: increment === undefined ? [] : this.#owed(increment, defers),
    });
  }

  /**
   * Returns the definitions that an app with deferred tools loads for a call: Tooltray's, and those without Tooltray.
   */
  definitions(tool: string, calls: readonly CalledTool[], { direct, defers }: ListReader): readonly LedgerText[] {
    if (direct || !defers) return [];
    const own = this.#deferred.use(tool);
    const text = (definition: JsonObject): SharedText => this.#activity.shareText(JSON.stringify(definition));
    const loaded: LedgerText[] =
      own === undefined ? [] : [{ cause: 'lists', server: '', tool, side: 'loaded', text: text(own) }];
    const baseline = this.#deferred.takeFirstCalls(calls, this.#servers()).map((owed): LedgerText => ({
      cause: 'lists',
      server: owed.server,
      tool: owed.tool,
      side: 'baseline',
      text: text(owed.definition),
    }));
    return [...loaded, ...baseline];
  }

  #owed({ instructions, lists }: BaselineIncrement, defers: boolean): readonly LedgerText[] {
    const of = (key: ListKey, entries: readonly JsonObject[]): SharedText =>
      defers && key === 'tools'
        ? this.#summaries(entries)
        : this.#activity.shareText(JSON.stringify({ [key]: entries }));
    const owed = { tool: '', side: 'baseline' } as const;
    return [
      ...instructions.map(({ server, text }) => ({
        ...owed,
        cause: 'instructions' as const,
        server,
        text: this.#activity.shareText(text),
      })),
      ...lists.map(({ server, key, entries }) => ({
        ...owed,
        cause: 'lists' as const,
        server,
        text: of(key, entries),
      })),
    ];
  }

  /** The name of each tool and the first line of its description. */
  #summaries(tools: readonly JsonObject[]): SharedText {
    return this.#activity.shareText(tools.map(toLine).join('\n'));
  }
}

function toolsOf(result: Result): readonly JsonObject[] {
  const tools = scalarOf(result, 'tools');
  return Array.isArray(tools) ? (tools as unknown[]).filter(isObject) : [];
}
