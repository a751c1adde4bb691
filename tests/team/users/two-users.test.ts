/** Two users of one replica, over both protocols: an id belongs to its token, and is unknown to all others. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { objectOrEmpty } from '../../../src-main/core/base/json.ts';
import { bearer, callBy, type Caller, guessLike, reachBy } from '../../support/callers.ts';
import { handleIn } from '../../support/finished.ts';
import type { Params, RawMessage } from '../../support/raw-client.ts';
import { textOf } from '../../support/socket-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { holderOf, modernTeamCallers, TeamCallers, teamCallers } from '../../support/team-callers.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { writeAtomically } from '../../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-two-users-'));
const form = { elicitation: { form: {} } };
const tasks = { ...form, extensions: { 'io.modelcontextprotocol/tasks': {} } };
let replica: TestReplica;
/** The only one with handles: on the other, slow responses are waited for. */
let slow: TestReplica;
let callers: TeamCallers;
let slowCallers: TeamCallers;
const ends: (() => Promise<unknown>)[] = [];
let files = 0;

beforeAll(async () => {
  const own = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../integration/servers', name), ...args],
    // The servers and the tests share files.
    isolation: 'none',
  });
  const status = { name: 'status', annotations: { readOnlyHint: true, idempotentHint: true }, answer: 'calm' };
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ tools: [status] }));
  const counting = fixture('scripted', script, join(folder, 'scripted.log'));
  const { url, drop } = await openTeamDatabase();
  ends.push(drop);
  replica = await startReplica(url, {
    servers: {
      x: fixture('compat-results'),
      counting,
      asker: fixture('asker'),
      tasking: own('tasking.ts'),
    },
    slowCallSeconds: 0,
    extraTools: ['read_result'],
    results: { threshold: 5000, cacheSeconds: { counting: 3600 } },
  });
  slow = await startReplica(url, {
    servers: { slow: own('slow.ts', join(folder, 'log')) },
    slowCallSeconds: 0.5,
    extraTools: ['await_result'],
  });
  callers = await TeamCallers.of(replica);
  slowCallers = callers.at(slow);
});
afterAll(async () => {
  await Promise.all([replica[Symbol.asyncDispose](), slow[Symbol.asyncDispose]()]);
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

const others = (owner: string, among = teamCallers): readonly string[] =>
  among.filter((how) => holderOf(how) !== holderOf(owner));

test.each(teamCallers)('only the token of %s reads its spill', async (owner) => {
  const read = (caller: Caller, ref: string) => callBy(caller, 'read_result', { resultFile: ref, op: 'head' });
  const ways = {
    read_result: read,
    'by its address': (caller: Caller, ref: string) => read(caller, `tooltray://spill/${ref}`),
    'as arguments': (caller: Caller, ref: string) =>
      callBy(caller, 'proxy-dispatch', { action: 'call', tool: 'x_structured', argumentsFile: ref }),
    'as a resource': (caller: Caller, ref: string) => caller.ask('resources/read', { uri: `tooltray://spill/${ref}` }),
  };
  const all = (how: string) => Object.fromEntries(Object.keys(ways).map((way) => [way, how]));
  const id = /tooltray:\/\/spill\/(\w+)/.exec(JSON.stringify(await callBy(await callers.open(owner), 'x_big')))?.[1];
  for (const how of teamCallers)
    expect([how, await reachBy(await callers.open(how), id ?? '', ways)]).toEqual([
      how,
      all(holderOf(how) === holderOf(owner) ? 'through' : 'as unknown'),
    ]);
});

async function slowCall(caller: Caller): Promise<{ readonly id: string; readonly finish: () => void }> {
  const file = join(folder, String((files += 1)));
  const { result } = await callBy(caller, 'slow_work', { file });
  const finish = (): void => {
    writeAtomically(file, 'done');
  };
  return { id: handleIn(result) ?? String(result?.['taskId']), finish };
}

describe('a running call', () => {
  test('is fetched and cancelled by its token only', async () => {
    await Promise.all(teamCallers.map(keepsItsCall));
  });

  async function keepsItsCall(owner: string): Promise<void> {
    const first = await slowCallers.open(owner);
    const { id, finish } = await slowCall(first);
    const ways = {
      fetch: (caller: Caller, handle: string) => callBy(caller, 'await_result', { handle, waitSeconds: 0 }),
      end: (caller: Caller, handle: string) => callBy(caller, 'await_result', { handle, cancel: true }),
    };
    for (const how of others(owner))
      expect([how, await reachBy(await slowCallers.open(how), id, ways)]).toEqual([
        how,
        { fetch: 'as unknown', end: 'as unknown' },
      ]);
    finish();
    const answer = async (): Promise<string> => JSON.stringify(await callBy(first, 'await_result', { handle: id }));
    await expect.poll(answer).toContain('"text":"done"');
  }

  test('as a task is fetched and cancelled by its token only', async () => {
    await Promise.all(modernTeamCallers.map(keepsItsTask));
  });

  async function keepsItsTask(owner: string): Promise<void> {
    const first = await slowCallers.open(owner, tasks);
    const { id, finish } = await slowCall(first);
    const get = (caller: Caller, taskId: string) => caller.ask('tasks/get', { taskId });
    const ways = { get, cancel: (caller: Caller, taskId: string) => caller.ask('tasks/cancel', { taskId }) };
    for (const how of others(owner, modernTeamCallers))
      expect(await reachBy(await slowCallers.open(how, tasks), id, ways)).toEqual({
        get: 'as unknown',
        cancel: 'as unknown',
      });
    finish();
    await expect.poll(async () => (await get(first, id)).result?.['status']).toBe('completed');
  }
});

test('lists a server’s task only for its token', async () => {
  const begin = async (how: string): Promise<readonly [Caller, string]> => {
    const caller = await callers.enter(how, '/server/tasking');
    const { result } = await callBy(caller, 'work', {}, { task: {} });
    return [caller, String(objectOrEmpty(result?.['task'])['taskId'])];
  };
  const [[ana, own], [ben, theirs]] = [await begin('ana, 2025-11-25'), await begin('ben, 2025-11-25')];
  const listed = async (caller: Caller): Promise<unknown[]> =>
    ((await caller.ask('tasks/list')).result as { tasks: Params[] }).tasks.map(({ taskId }) => taskId);
  expect([await listed(ana), await listed(ben)]).toEqual([[own], [theirs]]);
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    expect((await ben.ask(method, { taskId: own })).error).toEqual(
      (await ben.ask(method, { taskId: 'task-77' })).error,
    );
});

test.each(modernTeamCallers)('only the token of %s answers its call’s question', async (owner) => {
  const first = await callers.open(owner, form);
  const asked = { message: 'Who?' };
  const { result } = await callBy(first, 'asker_ask_form', asked);
  expect(result).toMatchObject({ resultType: 'input_required' });
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: Params };
  const me = { action: 'accept', content: { name: 'me' } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, me]));
  const answer = (caller: Caller, state: string): Promise<RawMessage> =>
    callBy(caller, 'asker_ask_form', asked, { inputResponses, requestState: state });
  const unknown = (await answer(first, guessLike(requestState))).error;
  expect(unknown).toMatchObject({ code: -32602 });
  for (const how of others(owner, modernTeamCallers))
    expect([how, (await answer(await callers.open(how, form), requestState)).error]).toEqual([how, unknown]);
  expect(JSON.stringify((await answer(first, requestState)).result)).toContain('me');
});

test('only the token that opened a session uses it', async () => {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cursor', version: '1' } };
  const knock = async (holder: string, method: string, session = ''): Promise<Response> =>
    fetch(replica.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...bearer(callers.tokens.get(holder) ?? ''),
        ...(session !== '' && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: method === 'initialize' ? hello : {} }),
    });
  const opened = await knock('ana', 'initialize');
  await opened.text();
  const session = opened.headers.get('mcp-session-id') ?? '';
  const list = async (holder: string, id: string): Promise<unknown[]> => {
    const response = await knock(holder, 'tools/list', id);
    return [response.status, (await response.text()).replaceAll(id, 'IT')];
  };
  expect((await list('ana', session))[0]).toBe(200);
  for (const holder of ['ana elsewhere', 'ben'])
    expect(await list(holder, session)).toEqual(await list(holder, crypto.randomUUID()));
});

test('keeps cached results and private processes apart by token', async () => {
  const isAgain = async (how: string): Promise<boolean> => {
    const { result } = await callBy(await callers.open(how, {}, 'again'), 'counting_status');
    return objectOrEmpty(result?.['_meta'])['tooltray/cached'] !== undefined;
  };
  const seen = new Set<string>();
  for (const how of teamCallers) {
    expect([how, await isAgain(how)]).toEqual([how, seen.has(holderOf(how))]);
    seen.add(holderOf(how));
  }
  await callBy(await callers.open('ana, 2025-11-25', form), 'asker_ask_form', { message: 'First' });
  const instances = new Set<string>();
  for (const how of teamCallers) {
    const { result } = await callBy(await callers.open(how, form, 'pid'), 'asker_who');
    instances.add((JSON.parse(textOf(result ?? {})) as { instance: string }).instance);
  }
  expect(instances.size).toBe(teamCallers.length);
});
