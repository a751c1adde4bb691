/**
 * Task status notifications for clients of protocol 2026-07-28. Slow calls notify on their own. Servers are subscribed
 * to, and the task ids in their notifications are replaced by those that the client knows. Source: extension
 * `io.modelcontextprotocol/tasks` (SEP-2663), task status notifications.
 */
import { toText, type JsonObject } from '../../base/json.ts';
import { supportsTasks, type TaskStatusListener } from '../../calls/call-task.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { SlowCalls } from '../../calls/slow-calls.ts';
import type { ServerSet } from '../../servers/server-manager.ts';
import type { DataFlowGuard } from '../../trust/data-flow/data-flow-guard.ts';
import { taskNotFoundError, type ServerTasks } from './server-tasks.ts';

export interface TaskSubscription {
  /** The requested tasks that will be reported. */
  readonly taskIds: readonly string[];
  /** Starts notifications of slow calls through `tell`; by now the client knows which tasks it is subscribed to. */
  begin(tell: TaskStatusListener): void;
  end(): void;
}

interface ReceivedTasksDeps {
  readonly tasks: ServerTasks;
  readonly servers: ServerSet;
  readonly flow: Pick<DataFlowGuard, 'recordText'>;
  /** Slow calls that are tasks; absent if there are none. */
  readonly slow?: Pick<SlowCalls, 'findTask'> | undefined;
}

interface TaskStatus {
  readonly id: string;
  readonly begin: (tell: TaskStatusListener) => void;
  readonly end: () => void;
}

export class TaskSubscriptions {
  readonly #parts: ReceivedTasksDeps;
  /** Subscribers by the app's task id. */
  readonly #listeners = new Map<string, Set<CallerContext>>();

  constructor(parts: ReceivedTasksDeps) {
    this.#parts = parts;
  }

  /** Subscribes to the caller's own tasks among `ids`. Throws RpcError if the app does not support tasks. */
  subscribe(ids: readonly string[], context: CallerContext): TaskSubscription {
    if (ids.length > 0 && !supportsTasks(context)) throw taskNotFoundError(context);
    const subscribed = [...new Set(ids)].flatMap((id) => this.#slow(id, context) ?? this.#ofServer(id, context) ?? []);
    return {
      taskIds: subscribed.map(({ id }) => id),
      begin: (tell) => subscribed.forEach((one) => one.begin(tell)),
      end: () => subscribed.forEach((one) => one.end()),
    };
  }

  /** Maps a task notification for its subscribers; undefined without any. A task's outcome is a tool result, too. */
  mapNotification(server: string, params: JsonObject): JsonObject | undefined {
    const taskId = this.#parts.tasks.idFor(server, toText(params['taskId']));
    const listeners = taskId === undefined ? undefined : this.#listeners.get(taskId);
    if (listeners === undefined) return undefined;
    for (const context of listeners) this.#parts.flow.recordText(`${server}: a task`, server, params, context);
    return { ...params, taskId };
  }

  #slow(id: string, context: CallerContext): TaskStatus | undefined {
    const task = this.#parts.slow?.findTask(id, context);
    if (task === undefined) return undefined;
    let stop = (): void => undefined;
    return { id, begin: (tell) => (stop = task.subscribe(tell)), end: () => stop() };
  }

  #ofServer(id: string, context: CallerContext): TaskStatus | undefined {
    const { tasks, servers } = this.#parts;
    const known = tasks.find({ taskId: id }, context.principal);
    const stop = known && servers.find(known.server)?.subscribeTask(toText(known.params['taskId']));
    if (stop === undefined) return undefined;
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(context));
    const end = (): void => {
      stop();
      if (listeners.delete(context) && listeners.size === 0) this.#listeners.delete(id);
    };
    // Notifications of servers are forwarded to all subscribers as they arrive.
    return { id, begin: () => undefined, end };
  }
}
