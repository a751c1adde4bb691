/** Every lookup by an ID checks the owner: to others the ID looks unknown. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { objectOrEmpty } from '../../src-main/core/base/json.ts';
import { newSpillId } from '../../src-main/core/spills/spill.ts';
import { someOf } from '../support/all-cases.ts';
import {
  allCallers,
  bearer,
  callBy,
  type Caller,
  Callers,
  guessLike,
  modernCallers,
  othersThan,
  reachBy,
  owners,
  modernOwners,
  whoIs,
} from '../support/callers.ts';
import type { Params, RawMessage } from '../support/raw-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-principals-'));
const form = { elicitation: { form: {} } };
let core: TestCore;
let callers: Callers;

beforeAll(async () => {
  const tasking = { command: process.execPath, args: [join(import.meta.dirname, 'servers/tasking.ts')] };
  const status = { name: 'status', annotations: { readOnlyHint: true, idempotentHint: true }, answer: 'calm' };
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ tools: [status] }));
  const counting = fixture('scripted', script, join(folder, 'scripted.log'));
  core = await startCore(
    {
      servers: { x: fixture('compat-results'), counting, tasking, asker: fixture('asker') },
      profiles: { wide: {} },
      // No handles: slow responses on a busy computer are waited for.
      slowCallSeconds: 0,
      extraTools: ['read_result'],
      results: { threshold: 5000, cacheSeconds: { counting: 3600 } },
    },
    { askToken: true },
  );
  callers = await Callers.of(core);
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('a spilled result', () => {
  const read = (input: Params) => (caller: Caller, ref: string) =>
    callBy(caller, 'read_result', { resultFile: ref, op: 'grep', pattern: 'item 15', ...input });
  const ways = {
    'read_result by id': read({}),
    'its size alone': read({ op: 'stat' }),
    'proxy-dispatch': (caller: Caller, ref: string) =>
      callBy(caller, 'proxy-dispatch', { action: 'readresult', resultFile: ref, op: 'head' }),
    'as arguments': (caller: Caller, ref: string) =>
      callBy(caller, 'proxy-dispatch', { action: 'call', tool: 'x_structured', argumentsFile: ref }),
    'by its address': (caller: Caller, ref: string) => read({})(caller, `tooltray://spill/${ref}`),
    'as a resource': (caller: Caller, ref: string) => caller.ask('resources/read', { uri: `tooltray://spill/${ref}` }),
  };
  const all = (how: string): Record<string, string> => Object.fromEntries(Object.keys(ways).map((way) => [way, how]));

  test.each(owners)('of %s is readable by that app in every way, and by no other', async (owner) => {
    const first = await callers.open(owner);
    const id = /tooltray:\/\/spill\/(\w+)/.exec(JSON.stringify(await callBy(first, 'x_big')))?.[1] ?? '';
    const file = (await core.host.core.calls.spills.find(id))?.file ?? '';
    expect(await reachBy(first, id, ways)).toEqual(all('through'));
    const others = await Promise.all(
      allCallers.map(async (how) => [how, await reachBy(await callers.open(how), id, ways)] as const),
    );
    const path = { path: read({}) };
    const byPath = await Promise.all(
      allCallers.map(async (how) => [how, await reachBy(await callers.open(how), file, path)] as const),
    );
    const isSame = (how: string): boolean => whoIs(how) === whoIs(owner);
    expect(Object.fromEntries(others)).toEqual(
      Object.fromEntries(allCallers.map((how) => [how, all(isSame(how) ? 'through' : 'as unknown')])),
    );
    expect(Object.fromEntries(byPath)).toEqual(
      Object.fromEntries(allCallers.map((how) => [how, { path: isSame(how) ? 'through' : 'as unknown' }])),
    );
  });
});

test("a task at a server's own endpoint is unknown to other sessions, and not in their lists", async () => {
  const [first, stranger] = [
    await callers.inSession('/server/tasking', callers.tokens.all, 'cursor'),
    await callers.inSession('/server/tasking', callers.tokens.all, 'cursor'),
  ];
  const begin = async (caller: Caller): Promise<string> => {
    const { result } = await callBy(caller, 'work', {}, { task: {} });
    return String(objectOrEmpty(result?.['task'])['taskId']);
  };
  const listed = async (caller: Caller): Promise<unknown[]> => {
    const { result } = await caller.ask('tasks/list');
    const { tasks = [] } = result as { tasks?: Params[] };
    return tasks.map(({ taskId }) => taskId);
  };
  const [own, theirs] = [await begin(first), await begin(stranger)];
  expect([await listed(first), await listed(stranger)]).toEqual([[own], [theirs]]);
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    const [itself, unknown] = [own, 'task-77'].map((taskId) => stranger.ask(method, { taskId }));
    expect([method, (await itself)?.error]).toEqual([method, (await unknown)?.error]);
    expect((await itself)?.error?.code).toBe(-32602);
  }
  expect((await first.ask('tasks/get', { taskId: own })).result).toMatchObject({ status: 'working' });
  expect((await first.ask('tasks/result', { taskId: own })).result).toMatchObject({ content: [{ text: `of ${own}` }] });
});

describe('a pending question', () => {
  const asked = { message: 'Who?' };

  test.each(someOf(2, modernOwners))(
    'of a call of %s accepts no answer from others, and no forged one',
    async (owner) => {
      const first = await callers.open(owner, form);
      const { result } = await callBy(first, 'asker_ask_form', asked);
      expect(result).toMatchObject({ resultType: 'input_required' });
      const requestState = String(result?.['requestState']);
      const answers = Object.fromEntries(
        Object.keys(result?.['inputRequests'] as Params).map((key) => [
          key,
          { action: 'accept', content: { name: 'me' } },
        ]),
      );
      const answer = (caller: Caller, state: string): Promise<RawMessage> =>
        callBy(caller, 'asker_ask_form', asked, { inputResponses: answers, requestState: state });
      const unknown = (await answer(first, guessLike(requestState))).error;
      expect(unknown).toMatchObject({ code: -32602 });
      for (const how of othersThan(owner, modernCallers))
        expect([how, (await answer(await callers.open(how, form), requestState)).error]).toEqual([how, unknown]);
      expect(JSON.stringify((await answer(first, requestState)).result)).toContain('me');
      // Valid once.
      expect((await answer(first, requestState)).error).toEqual(unknown);
    },
  );
});

test('an HTTP session opens only with the token that created it, at its endpoint', async () => {
  const id = async (path: string, token: string): Promise<string> => {
    const response = await knock(core.url + path, token, { method: 'initialize', params: hello }, '');
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  const addresses = [
    ['/app/cursor', callers.tokens.cursor],
    ['/app/cursor', callers.tokens.all],
    ['/p/wide', callers.tokens.wide],
    ['/p/wide', callers.tokens.all],
    ['', callers.tokens.all],
  ] as const;
  const list = async (path: string, token: string, session: string): Promise<[number, string]> => {
    const response = await knock(core.url + path, token, { method: 'tools/list' }, session);
    return [response.status, (await response.text()).replaceAll(session, 'IT')];
  };
  for (const [path, token] of addresses) {
    const session = await id(path, token);
    const [status] = await list(path, token, session);
    expect(status).toBe(200);
    for (const [otherPath, other] of addresses.filter((door) => door[0] !== path || door[1] !== token))
      expect(await list(otherPath, other, session)).toEqual(await list(otherPath, other, crypto.randomUUID()));
  }
});

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cursor', version: '1' } };

/** `session`: its ID, empty for none. */
function knock(url: string, token: string, message: Params, session: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...bearer(token),
      ...(session !== '' && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

test.each(['', 'roots'])(
  'returns a cached result only to the app that made the call (declaring: %s)',
  async (declares) => {
    const capabilities = declares === '' ? {} : { [declares]: {} };
    const isAgain = async (how: string, again: string): Promise<boolean> => {
      const { result } = await callBy(await callers.open(how, capabilities, again), 'counting_status');
      return (result?.['_meta'] as Params | undefined)?.['tooltray/cached'] !== undefined;
    };
    const seen = new Set<string>();
    for (const how of allCallers) {
      // If clients cannot be distinguished, and the server may have sent requests to the first one, nothing is cached.
      const isKnown = seen.has(whoIs(how)) && declares === '';
      expect([how, await isAgain(how, declares)]).toEqual([how, isKnown]);
      seen.add(whoIs(how));
    }
  },
);

test('a private process of a server is not shared between clients, nor reused for anonymous ones', async () => {
  await callBy(await callers.open('zed over the socket', form), 'asker_ask_form', { message: 'First' });
  const pidOf = async (how: string): Promise<string> => {
    const { result } = await callBy(await callers.open(how, form), 'asker_who');
    return String((JSON.parse(textOf(result ?? {})) as { pid: number }).pid);
  };
  const pids = new Map<string, Set<string>>();
  for (const how of [...new Set([...owners, ...modernOwners])]) {
    const [one, again] = [await pidOf(how), await pidOf(how)];
    expect([how, one === again]).toEqual([how, whoIs(how) !== 'nobody']);
    pids.set(whoIs(how), new Set([...(pids.get(whoIs(how)) ?? []), one, again]));
  }
  const all = [...pids.values()];
  expect(new Set(all.flatMap((one) => [...one])).size).toBe(all.reduce((sum, { size }) => sum + size, 0));
});

test('a call with a pending question keeps its process, even from other requests of its app', async () => {
  const app = await callers.open('cursor by its token, 2026-07-28', form, 'parked');
  const pid = async (): Promise<string> => textOf((await callBy(app, 'asker_who')).result ?? {});
  const pidOf = async (): Promise<number> => (JSON.parse(await pid()) as { pid: number }).pid;
  await callBy(await callers.open('zed over the socket', form), 'asker_ask_form', { message: 'First' });
  const before = await pidOf();
  const { result } = await callBy(app, 'asker_ask_form', { message: 'Who?' });
  expect(result).toMatchObject({ resultType: 'input_required' });
  expect(await pidOf()).not.toBe(before);
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: Params };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'decline' }]));
  await callBy(app, 'asker_ask_form', { message: 'Who?' }, { inputResponses, requestState });
  await expect.poll(pidOf).toBe(before);
});

test("the user reads any app's spill at the command line", async () => {
  const kept = await callBy(await callers.open('the token of all'), 'x_big');
  const id = /tooltray:\/\/spill\/(\w+)/.exec(JSON.stringify(kept))?.[1];
  const control = await core.connect({ purpose: 'control' });
  const asked = { resultFile: id, op: 'grep', pattern: 'item 15' };
  const given = await control.request('call', { tool: 'read_result', arguments: asked });
  control.socket.destroy();
  expect(textOf(given)).toContain('item 15');
});

test('a spill of an HTTP session looks unknown to another session, also in the next core', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-principals-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const config = {
    servers: { x: fixture('compat-results') },
    extraTools: ['read_result'],
    results: { threshold: 5000 },
  };
  const read = (resultFile: string): Params => ({
    method: 'tools/call',
    params: { name: 'read_result', arguments: { resultFile, op: 'grep', pattern: 'item 15' } },
  });
  const post = async (at: TestCore, message: Params, session: string): Promise<Response> =>
    knock(at.url, at.host.core.clients.token, message, session);
  const enter = async (at: TestCore): Promise<string> => {
    const response = await post(at, { method: 'initialize', params: hello }, '');
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  let id: string;
  {
    await using first = await startCore(config, { home, askToken: true });
    const session = await enter(first);
    const spilled = await post(first, { method: 'tools/call', params: { name: 'x_big', arguments: {} } }, session);
    id = /tooltray:\/\/spill\/(\w+)/.exec(await spilled.text())?.[1] ?? '';
    expect(await (await post(first, read(id), session)).text()).toContain('item 15');
  }
  await using next = await startCore(config, { home, askToken: true });
  const other = await enter(next);
  const [itself, unknown] = await Promise.all(
    [id, newSpillId()].map(async (ref) => (await (await post(next, read(ref), other)).text()).replaceAll(ref, 'IT')),
  );
  expect(itself).toBe(unknown);
});
