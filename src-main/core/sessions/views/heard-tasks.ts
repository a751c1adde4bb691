/**
 * Apps of 2026-07-28 that want to hear of tasks of servers: the servers are asked to tell, and what they tell is given the id that the
 * app knows. Source: extension `io.modelcontextprotocol/tasks` (SEP-2663), task status notifications.
 */
import { asText, type JsonObject } from '../../base/json.ts';
import { knowsTasks } from '../../calls/call-task.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { ServerSet } from '../../servers/server-manager.ts';
import type { Flow } from '../../trust/flow/flow.ts';
import { noTask, type ServerTasks } from './server-tasks.ts';

export interface Hearing {
  /** Of those that were asked for, the ones that will be told of. */
  readonly taskIds: readonly string[];
  end(): void;
}

interface HeardTasksParts {
  readonly tasks: ServerTasks;
  readonly servers: ServerSet;
  readonly flow: Pick<Flow, 'noteText'>;
}

export class HeardTasks {
  readonly #parts: HeardTasksParts;
  /** Who listens, by the app's id of the task. */
  readonly #listeners = new Map<string, Set<CallerContext>>();

  constructor(parts: HeardTasksParts) {
    this.#parts = parts;
  }

  /** Those of them that the caller has, of servers that tell of tasks. Throws RpcError where the app does not know tasks. */
  hear(ids: readonly string[], context: CallerContext): Hearing {
    if (ids.length > 0 && !knowsTasks(context)) throw noTask(context);
    const { tasks, servers } = this.#parts;
    const heard = [...new Set(ids)].flatMap((id) => {
      const known = tasks.find({ taskId: id }, context.principal);
      const stop = known && servers.find(known.server)?.hearTask(asText(known.params['taskId']));
      if (stop === undefined) return [];
      const listeners = this.#listeners.get(id) ?? new Set();
      this.#listeners.set(id, listeners.add(context));
      return [{ id, stop }];
    });
    const end = (): void => {
      for (const { id, stop } of heard) {
        stop();
        const listeners = this.#listeners.get(id);
        if (listeners?.delete(context) === true && listeners.size === 0) this.#listeners.delete(id);
      }
    };
    return { taskIds: heard.map(({ id }) => id), end };
  }

  /** What a server tells of a task, for whoever listens; undefined: nobody does. What came of the task is an answer of a tool, too. */
  told(server: string, params: JsonObject): JsonObject | undefined {
    const taskId = this.#parts.tasks.idFor(server, asText(params['taskId']));
    const listeners = taskId === undefined ? undefined : this.#listeners.get(taskId);
    if (listeners === undefined) return undefined;
    for (const context of listeners) this.#parts.flow.noteText(`${server}: a task`, server, params, context);
    return { ...params, taskId };
  }
}
