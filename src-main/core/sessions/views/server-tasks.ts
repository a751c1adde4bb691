/**
 * Tracks which server created which task, in both protocols, because later requests contain only the task's id. Source:
 * MCP 2025-11-25, basic/utilities/tasks, and the extension `io.modelcontextprotocol/tasks` of 2026-07-28.
 */
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { scalarOf, RawJson, toObject } from '../../wire/raw-json.ts';
import { supportsTasks } from '../../calls/call-task.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import { tasksExtension } from '../../servers/extension-set.ts';
import { canAccess, type Principal } from '../../security/principal.ts';

interface ServerTask {
  readonly server: string;
  /** Id on the server. */
  readonly taskId: string;
  /** `Principal.owner` */
  readonly owner: string;
  /** The session that created the task. */
  readonly sessionId: string;
}

/** Maximum number of tasks; the oldest are dropped first. */
const maxTasks = 1000;

export class ServerTasks {
  readonly #tasks = new Map<string, ServerTask>();

  /**
   * Records a task in a server's result. If another server used the same id, the result is returned with an id of
   * ours.
   */
  note(
    server: string,
    answer: Result,
    { principal, sessionId }: Pick<CallerContext, 'principal' | 'sessionId'>,
  ): Result {
    if (answer instanceof RawJson) return answer;
    const { owner } = principal;
    const legacy = scalarOf(answer, 'task');
    if (isObject(legacy) && typeof legacy['taskId'] === 'string') {
      const taskId = this.#add({ server, taskId: legacy['taskId'], owner, sessionId });
      return taskId === legacy['taskId'] ? answer : { ...answer, task: { ...legacy, taskId } };
    }
    const own = scalarOf(answer, 'taskId');
    if (scalarOf(answer, 'resultType') !== 'task' || typeof own !== 'string') return answer;
    const taskId = this.#add({ server, taskId: own, owner, sessionId });
    return taskId === own ? answer : { ...answer, taskId };
  }

  /**
   * The server of the task that a request names, and the request with that server's id; undefined for a task that the
   * caller does not own.
   */
  find(params: JsonObject, principal: Principal): { readonly server: string; readonly params: JsonObject } | undefined {
    const known = this.#tasks.get(String(params['taskId']));
    if (known === undefined || !canAccess(principal, known.owner)) return undefined;
    return { server: known.server, params: { ...params, taskId: known.taskId } };
  }

  /** The id under which apps know a server's task; undefined if there is none, or if another session created it. */
  idFor(server: string, taskId: string, sessionId?: string): string | undefined {
    const isMeant = (task: ServerTask): boolean =>
      task.taskId === taskId && task.server === server && (sessionId === undefined || task.sessionId === sessionId);
    return [...this.#tasks].find(([, task]) => isMeant(task))?.[0];
  }

  #add(task: ServerTask): string {
    const { server, taskId } = task;
    let id = taskId;
    for (let at = 2; ; at++) {
      const known = this.#tasks.get(id);
      if (known === undefined || (known.server === server && known.taskId === taskId)) break;
      id = `${taskId}~${at}`;
    }
    this.#tasks.set(id, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > maxTasks && oldest !== undefined) this.#tasks.delete(oldest);
    return id;
  }
}

/** Task owners at the servers' own endpoints, shared by all sessions because an app may return for its tasks. */
export class TasksByServer {
  readonly #servers = new Map<string, ServerTasks>();

  of(server: string): ServerTasks {
    const known = this.#servers.get(server) ?? new ServerTasks();
    this.#servers.set(server, known);
    return known;
  }
}

/** The result of `tasks/list`, limited to the caller's tasks. */
export function filterOwnTasks(answer: Result, server: string, tasks: ServerTasks, principal: Principal): Result {
  const { tasks: listed, ...rest } = toObject(answer);
  if (!Array.isArray(listed)) return answer;
  const own = listed.flatMap((one) => {
    const task = objectOrEmpty(one);
    const taskId = tasks.idFor(server, String(task['taskId']));
    if (taskId === undefined || tasks.find({ taskId }, principal) === undefined) return [];
    return [{ ...task, taskId }];
  });
  return { ...rest, tasks: own };
}

/** A result about a task, with the app's id for it. */
export function withTaskId(answer: Result, taskId: unknown): Result {
  const own = scalarOf(answer, 'taskId');
  if (own === undefined || own === taskId) return answer;
  return answer instanceof RawJson ? { ...answer.parse(), taskId } : { ...answer, taskId };
}

/** Error for a task that no server has. */
export function taskNotFoundError(context: CallerContext): RpcError {
  if (context.acceptsInputRequired && !supportsTasks(context)) {
    return new RpcError(rpcCode.missingClientCapability, 'This request requires an app that declares tasks.', {
      requiredCapabilities: { extensions: { [tasksExtension]: {} } },
    });
  }
  // Without the extension, or tasks of a server, task methods do not exist.
  if (!context.acceptsInputRequired)
    return new RpcError(rpcCode.methodNotFound, 'Method not found: tasks are not supported.');
  return taskGoneError();
}

export function taskGoneError(): RpcError {
  return new RpcError(rpcCode.invalidParams, 'Unknown task; it may have expired.');
}
