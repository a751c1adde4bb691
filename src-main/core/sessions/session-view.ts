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
  /** Unknown members of a server's `initialize` result. */
  readonly rest?: JsonObject;
}

/** Handles requests of a client app. */
interface SessionRequests {
  /** Rejects with RpcError or AppError. */
  callTool(params: JsonObject, context: CallerContext): Promise<Result>;
  readResource(params: JsonObject, context: CallerContext): Promise<Result>;
  getPrompt(params: JsonObject, context: CallerContext): Promise<Result>;
  complete(params: JsonObject, context: CallerContext): Promise<Result>;
  subscribe(uri: string, context: CallerContext): Promise<Result>;
  unsubscribe(uri: string, context: CallerContext): Promise<Result>;
  setLogLevel(level: string, context: CallerContext): Promise<void>;
  /** Handles methods that Tooltray does not know. */
  forwardRequest(method: string, params: JsonObject, context: CallerContext): Promise<Result>;
}

/** Tasks of servers, by the ids that the session's client app knows. */
interface SessionTasks {
  /** Subscribes to task notifications of servers. Throws RpcError if the app does not support tasks. */
  subscribeTasks(ids: readonly string[], context: CallerContext): TaskSubscription;
  /** Maps a server's task notification to the ids its subscribers know; undefined without subscribers. */
  mapTaskNotification(server: string, params: JsonObject): JsonObject | undefined;
  /** The session's id for a task of a server; undefined if the session did not create it. */
  taskId(server: string, taskId: string, sessionId: string): string | undefined;
}

export interface SessionView extends SessionRequests, SessionTasks {
  /** The mode, or `server`. */
  readonly mode: string;
  /** The reason for the mode, if it was chosen automatically. */
  readonly reason: string | undefined;
  /** Names of listed helper tools. */
  readonly ownTools: readonly string[];
  /** The catalog whose changes are announced. */
  readonly catalog: LiveCatalog;
  /** Whether messages of this server can concern the session. */
  includesServer(server: ManagedServer): boolean;
  introduce(): Promise<Introduction>;
  /** `era`: the client app's protocol. */
  list(key: ListKey, era: ProtocolKind): Promise<readonly JsonObject[]>;
  /**
   * The listed form of a tool that requires arguments as HTTP headers (2026-07-28); undefined if there is none by that
   * name.
   */
  toolWithHeaders(name: string): JsonObject | undefined;
  /** Notifications of the client app. */
  onNotification(method: string, params: JsonObject, sessionId: string): void;
  /** From now on list changes are announced to listeners, even if the list was not requested yet. */
  watch(): void;
  /** The lists that differ for this session after a change of the catalog. */
  changedLists(change: CatalogChange): CatalogChange;
  /** Ends calls that continue for the session. */
  end?(): void;
  /** The URI under which the session knows a server's resource. */
  listedUri(server: string, uri: string): string;
}

// Classifies errors for a view that queries several servers.

/**
 * Whether a server does not have the resource: -32002 until 2025-11-25, -32602 in 2026-07-28; some servers say it only
 * in words.
 */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return (
    error.code === -32002 || error.code === rpcCode.invalidParams || /not found|unknown resource/i.test(error.message)
  );
}

// The lists that client apps of a view have received, to determine whether a change concerns them.

type Entries = readonly JsonObject[];

export class DeliveredLists {
  readonly #held = new Map<ListKey, Entries>();

  /** Records the delivered list and returns it. */
  recordDelivered(key: ListKey, entries: Entries): Entries {
    this.#held.set(key, entries);
    return entries;
  }

  /** Records the list as delivered, unless one was. */
  watch(key: ListKey, entries: Entries): void {
    if (!this.#held.has(key)) this.#held.set(key, entries);
  }

  /** Whether a delivered list has changed since; reported once for each change. */
  differs(key: ListKey, now: Entries): boolean {
    const before = this.#held.get(key);
    if (before === undefined || before === now) return false;
    this.#held.set(key, now);
    // Unchanged entries are usually the same objects.
    return !isSameJson(before, now);
  }
}
