/**
 * Routes task notifications of 2025-11-25 servers only to the session that created the task, under the id it has there.
 * Source: MCP 2025-11-25, basic/utilities/tasks (notifications/tasks/status).
 */
import { toText, type JsonObject } from '../base/json.ts';
import type { NamedNotification } from '../servers/server-manager.ts';
import type { Session } from './session.ts';

export const taskStatus = 'notifications/tasks/status';

/**
 * How long a notification waits until its task is known, in ms, and the maximum number that wait: the result that
 * names the task may arrive later.
 */
const taskLookupTimeoutMs = 500;
const maxPendingNotifications = 100;

export class TaskNotifications {
  readonly #sessions: () => readonly Session[];
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  constructor(sessions: () => readonly Session[]) {
    this.#sessions = sessions;
  }

  /** A later notification of the same task replaces one that waits, because only the latest status counts. */
  deliver(notice: NamedNotification): void {
    const { server, params, sessionId } = notice;
    const key = JSON.stringify([server.config.name, params['taskId'], sessionId]);
    clearTimeout(this.#waiting.get(key));
    this.#waiting.delete(key);
    if (this.#tell(notice) || this.#waiting.size >= maxPendingNotifications) return;
    const again = (): void => {
      this.#waiting.delete(key);
      this.#tell(notice);
    };
    this.#waiting.set(key, setTimeout(again, taskLookupTimeoutMs).unref());
  }

  /** Returns whether a session has the task. */
  #tell({ server, params, sessionId }: NamedNotification): boolean {
    const { name } = server.config;
    const own = this.#sessions().flatMap((session): [Session, JsonObject][] => {
      if (sessionId === undefined ? !session.view.includesServer(server) : session.id !== sessionId) return [];
      const taskId = session.view.taskId(name, toText(params['taskId']), session.id);
      return taskId === undefined ? [] : [[session, { ...params, taskId }]];
    });
    for (const [session, notification] of own) session.notify(taskStatus, notification);
    return own.length > 0;
  }
}
