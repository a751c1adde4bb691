/** The open `subscriptions/listen` requests of one client app. Source: MCP 2026-07-28, basic/subscriptions. */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { metaKeys, metaOf } from '../wire/protocol-kind.ts';
import { type RequestId, type Result, rpcCode, RpcError } from '../wire/message.ts';
import type { RequestRound } from './parked-calls.ts';
import { checkNames } from './request-limits.ts';

interface Stream {
  readonly line: RequestRound & { readonly id: RequestId };
  readonly filter: JsonObject;
  end(result: Result): void;
}

const flags: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
]);

/** Maximum number of tasks per stream; the accepted ones are acknowledged. */
const maxTasks = 100;
const maxUris = 1000;

/** The method of task notifications in 2026-07-28. */
export const taskNotification = 'notifications/tasks';

export class Subscriptions {
  readonly #streams = new Set<Stream>();

  /** Acknowledges, then stays open until the client app cancels or the session ends. */
  listen(line: RequestRound & { readonly id: RequestId }, filter: JsonObject): Promise<Result> {
    if (line.signal.aborted) return Promise.resolve({});
    return new Promise((resolve) => {
      const stream: Stream = { line, filter, end: resolve };
      this.#streams.add(stream);
      line.signal.addEventListener('abort', () => {
        this.#streams.delete(stream);
        resolve({});
      });
      line.notify('notifications/subscriptions/acknowledged', tagged(line.id, { notifications: filter }));
    });
  }

  /** Whether a client is subscribed. */
  get isOpen(): boolean {
    return this.#streams.size > 0;
  }

  /** Returns whether there was a subscriber. */
  publish(method: string, params: JsonObject): boolean {
    const wanted = [...this.#streams].filter(({ filter }) => wants(filter, method, params));
    for (const { line } of wanted) line.notify(method, tagged(line.id, params));
    return wanted.length > 0;
  }

  /** Sends a task notification on one stream while it is open. */
  notifyTask(on: Stream['line'], params: JsonObject): void {
    for (const { line } of this.#streams) if (line === on) line.notify(taskNotification, tagged(line.id, params));
  }

  end(): void {
    for (const stream of this.#streams) stream.end({ resultType: 'complete', ...tagged(stream.line.id, {}) });
    this.#streams.clear();
  }
}

/** The tasks of a subscription request. Throws RpcError invalidParams if it is invalid. */
export function requestedTaskIds(wishes: unknown): readonly string[] {
  const ids = objectOrEmpty(wishes)['taskIds'];
  if (ids === undefined) return [];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw wrong('taskIds is not a list of ids');
  return ids.slice(0, maxTasks);
}

export function withTasks(filter: JsonObject, { taskIds }: { readonly taskIds: readonly string[] }): JsonObject {
  return taskIds.length === 0 ? filter : { ...filter, taskIds };
}

/**
 * The resources that a filter names. Throws RpcError invalidParams if there are more than 1,000, or if one is too
 * long.
 */
export function subscribedUris({ resourceSubscriptions: uris }: JsonObject): string[] {
  if (!Array.isArray(uris)) return [];
  if (uris.length > maxUris)
    throw wrong(`resourceSubscriptions has ${uris.length} URIs; at most ${maxUris} are allowed`);
  const wanted = uris.filter((uri) => typeof uri === 'string');
  for (const uri of wanted) checkNames({ uri });
  return wanted;
}

/**
 * Returns the supported part of the filter of `subscriptions/listen`, by announced capabilities. Throws RpcError
 * invalidParams if it is malformed.
 */
export function acceptedFilter(wishes: unknown, capabilities: JsonObject): JsonObject {
  if (!isObject(wishes)) throw wrong('notifications is missing');
  const can = (of: string, member: string): boolean => objectOrEmpty(capabilities[of])[member] === true;
  const lists = [...flags.values()].flatMap((flag) => {
    const wish = wishes[flag];
    if (wish !== undefined && typeof wish !== 'boolean') throw wrong(`${flag} must be true or false`);
    const list = flag.slice(0, -'ListChanged'.length);
    return wish === true && can(list, 'listChanged') ? [[flag, true] as const] : [];
  });
  const uris = wishes['resourceSubscriptions'];
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')))
    throw wrong('resourceSubscriptions is not a list of URIs');
  const canSubscribe = Array.isArray(uris) && uris.length > 0 && can('resources', 'subscribe');
  return { ...Object.fromEntries(lists), ...(canSubscribe && { resourceSubscriptions: uris }) };
}

function wrong(what: string): RpcError {
  return new RpcError(rpcCode.invalidParams, `subscriptions/listen cannot be served: ${what}.`);
}

function wants(filter: JsonObject, method: string, params: JsonObject): boolean {
  const flag = flags.get(method);
  if (flag !== undefined) return filter[flag] === true;
  const [key, about] = method === taskNotification ? ['taskIds', 'taskId'] : ['resourceSubscriptions', 'uri'];
  if (method !== taskNotification && method !== 'notifications/resources/updated') return false;
  const wanted = filter[key];
  return Array.isArray(wanted) && wanted.includes(params[about]);
}

function tagged(id: RequestId, params: JsonObject): JsonObject {
  return { ...params, _meta: { ...metaOf(params), [metaKeys.subscriptionId]: id } };
}
