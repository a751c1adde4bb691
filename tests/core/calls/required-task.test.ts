/** Calls of tools of protocol 2025-11-25 that are available as tasks only. */
import { expect, test } from 'vitest';
import { callToolOnServer } from '../../../src-main/core/calls/required-task.ts';
import type { CallContext } from '../../../src-main/core/servers/in-flight-calls.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';

type Server = Pick<ManagedServer, 'request' | 'handshake'>;

const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
const required = { name: 'work', execution: { taskSupport: 'required' } };

/** Records its requests; `tasks/result` returns when `over` resolves. */
function makeServer(over: Promise<void> = Promise.resolve(), can: object = capabilities) {
  const asked: unknown[] = [];
  const server = {
    handshake: {
      era: 'legacy',
      protocolVersion: '2025-11-25',
      capabilities: can,
      serverInfo: {},
      instructions: '',
      raw: {},
    },
    request: async (method: string, params: object) => {
      asked.push([method, params]);
      if (method === 'tools/call' && 'task' in params) return { task: { taskId: 't1', status: 'working' } };
      if (method === 'tasks/result') await over;
      return { content: [], from: method };
    },
  } as unknown as Server;
  return { server, asked };
}

const context = (signal = new AbortController().signal): CallContext => ({ signal }) as CallContext;

test('creates the task, waits for it, and returns its result', async () => {
  const { server, asked } = makeServer();
  const params = { name: 'work', arguments: { a: 1 } };
  expect(await callToolOnServer(server, required, params, context())).toEqual({ content: [], from: 'tasks/result' });
  expect(asked).toEqual([
    ['tools/call', { ...params, task: {} }],
    ['tasks/result', { taskId: 't1' }],
  ]);
});

test.each([
  ['an app that asked for a task itself', required, { name: 'work', task: { ttl: 5 } }, capabilities],
  [
    'a tool that may be called either way',
    { name: 'work', execution: { taskSupport: 'optional' } },
    { name: 'work' },
    capabilities,
  ],
  ['a server without tasks', required, { name: 'work' }, { tools: {} }],
])('calls the tool directly for %s', async (_what, definition, params, can) => {
  const { server, asked } = makeServer(undefined, can);
  await callToolOnServer(server, definition, params, context());
  expect(asked).toEqual([['tools/call', params]]);
});

test('cancels the task when the call is cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { server, asked } = makeServer(promise);
  const controller = new AbortController();
  const answer = callToolOnServer(server, required, { name: 'work' }, context(controller.signal));
  await expect.poll(() => asked.length).toBe(2);
  controller.abort('no more');
  expect(asked.at(-1)).toEqual(['tasks/cancel', { taskId: 't1' }]);
  resolve();
  await answer;
});
