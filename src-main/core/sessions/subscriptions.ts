/** The open `subscriptions/listen` requests of a session. Source: MCP 2026-07-28, basic/subscriptions. */
import { isObject, type JsonObject } from '../base/json.ts';
import { metaKey, metaOf } from '../wire/eras.ts';
import type { RequestId, Result } from '../wire/message.ts';
import type { Round } from './parked-calls.ts';

interface Stream {
  readonly line: Round & { readonly id: RequestId };
  readonly filter: JsonObject;
  end(result: Result): void;
}

const flags: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
]);

export class Subscriptions {
  readonly #streams = new Set<Stream>();

  /** Acknowledges, then stays open until the client app cancels or the session ends. */
  listen(line: Round & { readonly id: RequestId }, filter: JsonObject): Promise<Result> {
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

  /** Whether anybody wanted to know. */
  publish(method: string, params: JsonObject): boolean {
    const wanted = [...this.#streams].filter(({ filter }) => wants(filter, method, params));
    for (const { line } of wanted) line.notify(method, tagged(line.id, params));
    return wanted.length > 0;
  }

  end(): void {
    for (const stream of this.#streams) stream.end({ resultType: 'complete', ...tagged(stream.line.id, {}) });
    this.#streams.clear();
  }
}

/** The resources that a `subscriptions/listen` asks about. */
export function subscribedUris({ notifications }: JsonObject): string[] {
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

function wants(filter: JsonObject, method: string, params: JsonObject): boolean {
  const flag = flags.get(method);
  if (flag !== undefined) return filter[flag] === true;
  if (method !== 'notifications/resources/updated') return false;
  const uris = filter['resourceSubscriptions'];
  return Array.isArray(uris) && uris.includes(params['uri']);
}

function tagged(id: RequestId, params: JsonObject): JsonObject {
  return { ...params, _meta: { ...metaOf(params), [metaKey.subscriptionId]: id } };
}
