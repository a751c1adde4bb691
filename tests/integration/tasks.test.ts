/** Tasks (`io.modelcontextprotocol/tasks` of 2026-07-28): those of servers, and slow calls as tasks for apps with the extension. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { Params, RawMessage } from '../support/raw-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { writeAtomically } from '../support/write-atomically.ts';

const extension = 'io.modelcontextprotocol/tasks';
const knows = { elicitation: {}, extensions: { [extension]: {} } };

const folder = mkdtempSync(join(tmpdir(), 'tooltray-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const nextFile = (): string => join(folder, `answer-${(files += 1)}`);

function finish(file: string, text = 'done'): void {
  writeAtomically(file, text);
}

const taskOf = (client: ModernClient, taskId: unknown): Promise<RawMessage> => client.once('tasks/get', { taskId });

async function endOf(client: ModernClient, taskId: unknown): Promise<Params> {
  const isOver = async (): Promise<unknown> => (await taskOf(client, taskId)).result?.['status'];
  await expect.poll(isOver).not.toBe('working');
  return (await taskOf(client, taskId)).result ?? {};
}

describe('a core with tasks', () => {
  let core: TestCore;
  /** A core without slow-call handles, so that every task is its server's. */
  let quick: TestCore;
  beforeAll(async () => {
    const slow = {
      command: process.execPath,
      args: [join(import.meta.dirname, 'servers/slow.ts'), join(folder, 'log')],
    };
    const servers = { one: fixture('tasks', 'one'), two: fixture('tasks', 'two') };
    [core, quick] = await Promise.all([
      startCore({ servers: { slow, one: servers.one }, slowCallSeconds: 0.4 }),
      startCore({ servers, slowCallSeconds: 0 }),
    ]);
  });
  afterAll(() => Promise.all([core, quick].map((one) => one[Symbol.asyncDispose]())));

  const lines = {
    socket: (mode: string, at = core) => at.connect({ mode }),
    HTTP: (mode: string, at = core) => Promise.resolve(new HttpClient(`${at.url}/mode/${mode}`, true)),
  };
  const addresses = {
    socket: async (mode: string, at = core) => new ModernClient(await lines.socket(mode, at), knows),
    HTTP: async (mode: string, at = core) => new ModernClient(await lines.HTTP(mode, at), knows),
  };

  describe.each(['socket', 'HTTP'] as const)('over %s', (door) => {
    const open = addresses[door];
    test('returns a task for a slow call, which ends with the result of the call', async () => {
      const [app, file] = [await open('proxy'), nextFile()];
      const { result } = await app.call('slow_work', { file });
      expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1000 });
      expect(result?.['content']).toBeUndefined();
      const { taskId } = result ?? {};
      expect((await taskOf(app, taskId)).result).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
      finish(file);
      const over = await endOf(app, taskId);
      expect(over).toMatchObject({ taskId, status: 'completed', resultType: 'complete' });
      expect(textOf(over['result'] as Params)).toBe('done');
    });

    test('returns a task through a helper tool', async () => {
      const [app, file] = [await open('search'), nextFile()];
      const { result } = await app.call('call_tool', { name: 'slow_work', arguments: { file } });
      expect(result?.['resultType']).toBe('task');
      finish(file);
      expect(textOf((await endOf(app, result?.['taskId']))['result'] as Params)).toBe('done');
    });

    test("adds the server's question to the task, accepts the answer as an update, and notifies listeners", async () => {
      const [line, file] = [await lines[door]('proxy'), nextFile()];
      const app = new ModernClient(line, knows);
      const { taskId } = (await app.call('slow_work', { file, ask: true })).result ?? {};
      app.once('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => undefined);
      await expect
        .poll(() => line.notifications.map(({ params }) => params?.['notifications']))
        .toEqual([{ taskIds: [taskId] }]);
      finish(file);
      const asked = await endOf(app, taskId);
      const [[key, question] = ['']] = Object.entries(asked['inputRequests'] as Params);
      expect(asked['status']).toBe('input_required');
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'slow: May I?' } });
      expect((await taskOf(app, taskId)).result?.['inputRequests']).toEqual(asked['inputRequests']);
      const inputResponses = { nobody: { action: 'accept' }, [key]: { action: 'accept', content: { ok: true } } };
      const { result } = await app.once('tasks/update', { taskId, inputResponses });
      expect(result).toMatchObject({ resultType: 'complete' });
      const over = await endOf(app, taskId);
      expect(textOf(over['result'] as Params)).toBe('{"action":"accept","content":{"ok":true}}');
      const states = (): unknown[] =>
        line.notifications.flatMap(({ method, params }) =>
          method === 'notifications/tasks' ? [params?.['status']] : [],
        );
      await expect.poll(states).toEqual(['input_required', 'working', 'completed']);
      expect(line.notifications.at(-1)?.params).toMatchObject({ taskId, result: over['result'] });
    });

    test('reports a cancelled task as cancelled', async () => {
      const app = await open('proxy');
      const { taskId } = (await app.call('slow_work', { file: nextFile() })).result ?? {};
      expect((await app.once('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
      expect((await taskOf(app, taskId)).result).toMatchObject({ taskId, status: 'cancelled' });
    });

    test('distinguishes tasks of several servers with any IDs', async () => {
      const app = await open('search', quick);
      const ids: unknown[] = [];
      for (const name of ['one_work', 'two_work']) {
        const direct = await app.call('call_tool', { name, arguments: { ask: true } });
        expect(direct.result).toMatchObject({ resultType: 'task', status: 'working' });
        ids.push(direct.result?.['taskId']);
      }
      expect(new Set(ids).size).toBe(2);
      for (const [at, taskId] of ids.entries()) {
        expect((await taskOf(app, taskId)).result).toMatchObject({ taskId, status: 'input_required' });
        await app.once('tasks/update', { taskId, inputResponses: { name: { by: at } } });
        const over = await endOf(app, taskId);
        expect(textOf(over['result'] as Params)).toBe(`${['one', 'two'][at]}: {"name":{"by":${at}}}`);
      }
    });

    test('notifies a listener of its own tasks under its IDs, and of no others', async () => {
      const [line, strange] = [await lines[door]('proxy', quick), await lines.socket('proxy', quick)];
      const [app, stranger] = [new ModernClient(line, knows), new ModernClient(strange, knows)];
      const ids: unknown[] = [];
      for (const name of ['one_work', 'two_work']) ids.push((await app.call(name, { ask: true })).result?.['taskId']);
      const wish = { notifications: { taskIds: [...ids, 'nothing'] } };
      for (const one of [app, stranger]) one.once('subscriptions/listen', wish).catch(() => undefined);
      const acknowledged = ({ notifications: all }: { notifications: RawMessage[] }): unknown[] =>
        all.flatMap(({ method, params }) =>
          method === 'notifications/subscriptions/acknowledged' ? [params?.['notifications']] : [],
        );
      await expect.poll(() => acknowledged(line)).toEqual([{ taskIds: ids }]);
      await expect.poll(() => acknowledged(strange)).toEqual([{}]);
      for (const taskId of ids) await app.once('tasks/update', { taskId, inputResponses: { name: { ok: taskId } } });
      const told = ({ notifications: all }: { notifications: RawMessage[] }): unknown[] =>
        all.flatMap(({ method, params = {} }) =>
          method === 'notifications/tasks'
            ? [[params['taskId'], params['status'], textOf(params['result'] as Params)]]
            : [],
        );
      const expected = ids.map((id, at) => [id, 'completed', `${['one', 'two'][at]}: {"name":{"ok":"${String(id)}"}}`]);
      await expect.poll(() => told(line)).toEqual(expected);
      expect(told(strange)).toEqual([]);
      const plain = new ModernClient(await lines.socket('proxy', quick));
      expect((await plain.once('subscriptions/listen', wish)).error).toMatchObject({ code: -32021 });
    });

    test('rejects an unknown task as the extension specifies, and one of another session', async () => {
      const [app, other] = [await open('proxy'), await addresses.socket('proxy')];
      const { taskId } = (await app.call('slow_work', { file: nextFile() })).result ?? {};
      expect((await taskOf(other, taskId)).error).toMatchObject({ code: -32602 });
      expect((await taskOf(app, 'nothing')).error).toMatchObject({ code: -32602 });
      await app.once('tasks/cancel', { taskId });
    });
  });

  test("counts the result of a task as read by the session that gets it, also at the server's endpoint", async () => {
    const noted = vi.spyOn(quick.host.core.trust.dataFlow.flow, 'recordText');
    onTestFinished(() => noted.mockRestore());
    for (const [place, tool] of [
      ['mode/proxy', 'one_work'],
      ['server/one', 'work'],
    ] as const) {
      const app = new ModernClient(new HttpClient(`${quick.url}/${place}`, true), knows);
      const { taskId } = (await app.call(tool)).result ?? {};
      const { result } = await taskOf(app, taskId);
      expect(textOf(result?.['result'] as Params)).toBe('one: "done"');
      expect(noted.mock.calls.map(([of, server]) => [of, server])).toEqual([['one: a task', 'one']]);
      noted.mockClear();
    }
  });

  test('returns a program the result of a tool, not a task', async () => {
    const [app, file] = [await addresses.socket('code'), nextFile()];
    const wait = `await call_tool("slow_work", ${JSON.stringify({ file })})`;
    const code = `const given = await call_tool("one_work", {}); ${wait}; return given`;
    const { result } = await app.call('execute', { code });
    // The program itself is a slow call, and has a task.
    finish(file);
    const over = await endOf(app, result?.['taskId']);
    expect(textOf(over['result'] as Params)).toContain('one: at once');
  });

  test('sends no task to an app without the extension, and names what it lacks', async () => {
    const app = new ModernClient(await lines.socket('search'));
    const other = new ModernClient(await lines.socket('search', quick));
    expect(textOf((await other.call('one_work')).result ?? {})).toBe('one: at once');
    const file = nextFile();
    const slow = await app.call('call_tool', { name: 'slow_work', arguments: { file } });
    expect(slow.result?.['_meta']).toHaveProperty(['tooltray/pending', 'handle']);
    expect((await taskOf(app, '1')).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extension]: {} } } },
    });
    const legacy = await core.open();
    await expect(legacy.request('tasks/get', { taskId: '1' })).rejects.toMatchObject({ code: -32601 });
    finish(file);
  });

  test('declares the extension to apps that declare it', async () => {
    const { result } = await (await addresses.socket('proxy')).once('server/discover');
    expect(result?.['capabilities']).toHaveProperty(['extensions', extension], {});
  });
});

test('passes task notifications of stateful servers to the session of the task, under its ID there', async () => {
  const servers = { one: fixture('tasks', 'one', 'legacy'), two: fixture('tasks', 'two', 'legacy') };
  await using core = await startCore({ servers });
  const [app, other] = [await core.open(), await core.open()];
  const own = new HttpClient(`${core.url}/server/one`);
  await own.initialize();
  const heard: RawMessage[] = [];
  const listening = new AbortController();
  onTestFinished(() => listening.abort());
  own.listen((message) => void heard.push(message), listening.signal).catch(() => undefined);
  await expect.poll(() => heard).toHaveLength(1);
  const make = async (name: string): Promise<unknown> =>
    ((await app.callTool(name, {}, { task: {} }))['task'] as Params)['taskId'];
  const ids = [await make('one_work'), await make('two_work')];
  expect(new Set(ids).size).toBe(2);
  const { message } = await own.exchange('tools/call', { name: 'work', arguments: {}, task: {} });
  const task = (message.result ?? {})['task'] as Params;
  const ended = (all: readonly RawMessage[]): unknown[] =>
    all.flatMap(({ method, params = {} }) =>
      method === 'notifications/tasks/status' && params['status'] === 'completed'
        ? [[params['taskId'], params['statusMessage']]]
        : [],
    );
  const mine = [
    [ids[0], 'one'],
    [ids[1], 'two'],
  ].toSorted();
  // A notification that arrived before its task was known is sent later.
  await expect.poll(() => ended(app.notifications).toSorted()).toEqual(mine);
  await expect.poll(() => ended(heard)).toEqual([[task['taskId'], 'one']]);
  expect([ended(app.notifications).toSorted(), ended(other.notifications)]).toEqual([mine, []]);
  // After a task is reported as ended, it is not reported as running.
  const last = app.notifications.filter(({ params }) => params?.['taskId'] === ids[1]).at(-1);
  expect(last?.params?.['status']).toBe('completed');
});
