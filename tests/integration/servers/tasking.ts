/** A server of 2025-11-25 whose tool may be called as a task; it reports all tasks to every client, and can end any. */
import { anyTool, type Incoming, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const at = { createdAt: '2026-11-23T10:00:00Z', lastUpdatedAt: '2026-11-23T10:00:00Z', ttl: null };
const tasks = new Map<string, 'working' | 'cancelled'>();

const stateOf = (taskId: string): object => ({ taskId, status: tasks.get(taskId), ...at });

function answerTo(method: string, taskId: string): object | undefined {
  if (method === 'tasks/list') return { tasks: [...tasks.keys()].map(stateOf) };
  if (!tasks.has(taskId)) return undefined;
  if (method === 'tasks/cancel') tasks.set(taskId, 'cancelled');
  return method === 'tasks/result' ? { content: [{ type: 'text', text: `of ${taskId}` }] } : stateOf(taskId);
}

serveRaw({
  name: 'tasking',
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    serverInfo: { name: 'tasking', version: '1.0.0' },
  }),
  listTools: () => ({ tools: [{ ...anyTool('work'), execution: { taskSupport: 'optional' } }] }),
  call: ({ params, reply, say }) => {
    if (params['task'] === undefined) return say('at once');
    const taskId = `task-${tasks.size + 1}`;
    tasks.set(taskId, 'working');
    reply({ task: stateOf(taskId) });
  },
  intercept: ({ id, method = '', params = {} }: Incoming) => {
    if (id === undefined || !method.startsWith('tasks/')) return false;
    const result = answerTo(method, String(params['taskId']));
    send(result === undefined ? { id, error: { code: -32602, message: 'No such task' } } : { id, result });
    return true;
  },
});
