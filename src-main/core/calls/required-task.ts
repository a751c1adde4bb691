/**
 * A tool of 2025-11-25 may be called as a task only: for an app that did not ask for one, the task is made and waited
 * for here, and the app is answered as it asked. Source: MCP 2025-11-25, basic/utilities/tasks (tasks/result is
 * answered when the task is over).
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf } from '../wire/raw-json.ts';

type TaskServer = Pick<ManagedServer, 'request' | 'handshake'>;

/** The answer of a call, whichever way the tool has to be called. Rejects as `request` does. */
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
