/** The view of an endpoint: the merged catalog in a mode, or a single server unchanged. */
import type { JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import type { CatalogChange, LiveCatalog } from '../catalog/live-catalog.ts';
import type { ListKey } from '../servers/listing.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { ProtocolKind } from '../wire/protocol-kind.ts';
import { isSameJson } from '../trust/canonical-json.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import type { TaskSubscription } from './views/task-subscriptions.ts';

export interface Introduction {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** Members of a server's own introduction that no specification knows. */
  readonly rest?: JsonObject;
}

/** Requests of a client app. */
interface SessionRequests {
  /** Rejects with RpcError or AppError. */
  callTool(params: JsonObject, context: CallerContext): Promise<Result>;
  readResource(params: JsonObject, context: CallerContext): Promise<Result>;
  getPrompt(params: JsonObject, context: CallerContext): Promise<Result>;
  complete(params: JsonObject, context: CallerContext): Promise<Result>;
  subscribe(uri: string, context: CallerContext): Promise<Result>;
  unsubscribe(uri: string, context: CallerContext): Promise<Result>;
  setLogLevel(level: string, context: CallerContext): Promise<void>;
  /** Methods that Tooltray does not know itself. */
  forwardRequest(method: string, params: JsonObject, context: CallerContext): Promise<Result>;
}

/** Tasks of servers, under the ids that the session's client app knows. */
interface SessionTasks {
  /** Asks servers to tell of tasks, until that ends. Throws RpcError where the app does not know tasks. */
  subscribeTasks(ids: readonly string[], context: CallerContext): TaskSubscription;
  /** Maps a server's task notification to the ids its subscribers know; undefined without subscribers. */
  mapTaskNotification(server: string, params: JsonObject): JsonObject | undefined;
  /** The id that a session has for a task of a server; undefined if it is none that it made. */
  taskId(server: string, taskId: string, sessionId: string): string | undefined;
}

export interface SessionView extends SessionRequests, SessionTasks {
  /** The mode, or `server`. */
  readonly mode: string;
  /** Why this mode, where Tooltray chose it. */
  readonly reason: string | undefined;
  /** Names of Tooltray's own tools that it lists. */
  readonly ownTools: readonly string[];
  /** Its changes are announced. */
  readonly catalog: LiveCatalog;
  /** Whether traffic on this line to a server can concern the session. */
  includesServer(server: ManagedServer): boolean;
  introduce(): Promise<Introduction>;
  /** `era` is the client app's. */
  list(key: ListKey, era: ProtocolKind): Promise<readonly JsonObject[]>;
  /**
   * A tool that wants arguments repeated as HTTP headers, as it is listed for an app of 2026-07-28; undefined: none by
   * that name.
   */
  toolWithHeaders(name: string): JsonObject | undefined;
  /** Notifications of the client app. */
  onNotification(method: string, params: JsonObject, sessionId: string): void;
  /** From now on list changes are announced to listeners, even if the list was not requested yet. */
  watch(): void;
  /** The lists that are different for this session after a change of the catalog. */
  changedLists(change: CatalogChange): CatalogChange;
  /** The session is over: calls that go on for it are ended. */
  end?(): void;
  /** The URI under which the session knows a server's resource. */
  listedUri(server: string, uri: string): string;
}

// What errors mean to a view that asks several servers.

/** A server does not have that resource: -32002 until 2025-11-25, -32602 in 2026-07-28; some say it in words only. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return (
    error.code === -32002 || error.code === rpcCode.invalidParams || /not found|unknown resource/i.test(error.message)
  );
}

// The lists that the client apps of a view have received, to determine whether a change concerns them.

type Entries = readonly JsonObject[];

export class DeliveredLists {
  readonly #held = new Map<ListKey, Entries>();

  /** Records the delivered list and returns it. */
  recordDelivered(key: ListKey, entries: Entries): Entries {
    this.#held.set(key, entries);
    return entries;
  }

  /** Counts it as given out, if none was. */
  watch(key: ListKey, entries: Entries): void {
    if (!this.#held.has(key)) this.#held.set(key, entries);
  }

  /** Whether a delivered list has changed since; reported once for each change. */
  differs(key: ListKey, now: Entries): boolean {
    const before = this.#held.get(key);
    if (before === undefined || before === now) return false;
    this.#held.set(key, now);
    // Entries that did not change are mostly the same objects.
    return !isSameJson(before, now);
  }
}
