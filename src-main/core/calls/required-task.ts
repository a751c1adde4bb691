/**
 * Calls tools that require a task in protocol 2025-11-25. If the client app did not ask for a task, this module
 * creates one, waits for it, and returns the result in the form that the app expects. Source: MCP 2025-11-25,
 * basic/utilities/tasks (tasks/result responds when the task has finished).
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf } from '../wire/raw-json.ts';

type TaskServer = Pick<ManagedServer, 'request' | 'handshake'>;

/** Returns the result of a call, with or without a task as the tool requires. Rejects as `request` does. */
export function callToolOnServer(
  server: TaskServer,
  definition: JsonObject,
  params: JsonObject,
  context: CallContext,
): Promise<Result> {
  return params['task'] !== undefined || !needsTask(server, definition)
    ? server.request('tools/call', params, context)
    : callAsTask(server, params, context);
}

async function callAsTask(server: TaskServer, params: JsonObject, context: CallContext): Promise<Result> {
  const created = await server.request('tools/call', { ...params, task: {} }, context);
  const task = scalarOf(created, 'task');
  if (!isObject(task)) return created;
  const { taskId } = task;
  const cancel = (): void => {
    const unheard = { ...context, signal: new AbortController().signal, onProgress: undefined };
    server.request('tasks/cancel', { taskId }, unheard).catch(() => undefined);
  };
  if (context.signal.aborted) cancel();
  context.signal.addEventListener('abort', cancel, { once: true });
  try {
    return await server.request('tasks/result', { taskId }, context);
  } finally {
    context.signal.removeEventListener('abort', cancel);
  }
}

function needsTask({ handshake }: TaskServer, { execution }: JsonObject): boolean {
  if (handshake?.era !== 'legacy' || objectOrEmpty(execution)['taskSupport'] !== 'required') return false;
  const { requests } = objectOrEmpty(handshake.capabilities['tasks']);
  return isObject(objectOrEmpty(objectOrEmpty(requests)['tools'])['call']);
}
