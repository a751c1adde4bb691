/** Which server a task belongs to that a tool's answer named: whoever asks for the task later names nothing else. */
import { isObject, type JsonObject } from '../base/json.ts';
import type { Result } from '../wire/message.ts';
import { fact } from '../wire/raw-json.ts';

/** The oldest are forgotten first. */
const maxTasks = 1000;

export class TaskServers {
  readonly #servers = new Map<string, string>();

  /** `serverOf` is asked only where the answer names a task. */
  note(answer: Result, serverOf: () => string): void {
    const task = fact(answer, 'task');
    if (!isObject(task) || typeof task['taskId'] !== 'string') return;
    this.#servers.set(task['taskId'], serverOf());
    const oldest = this.#servers.keys().next();
    if (this.#servers.size > maxTasks && oldest.done !== true) this.#servers.delete(oldest.value);
  }

  /** Of the task that a request is about; undefined where it is about none we know. */
  find({ taskId }: JsonObject): string | undefined {
    return typeof taskId === 'string' ? this.#servers.get(taskId) : undefined;
  }
}
