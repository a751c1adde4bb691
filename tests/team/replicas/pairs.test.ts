/** Every kind of id that lives in one replica's memory, brought to another one: it is answered there as if it were its own. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../../support/all-cases.ts';
import { finished } from '../../support/finished.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import type { Params, RawMessage } from '../../support/raw-client.ts';
import { textOf } from '../../support/socket-client.ts';
import { fixture } from '../../support/start-core.ts';
import { bearer } from '../../support/callers.ts';
import { teamToken, type TestReplica } from '../../support/start-replica.ts';
import { startReplicas } from '../../support/start-replicas.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-pairs-'));
const log = join(folder, 'log');
const names: readonly string[] = allCases ? ['a', 'b', 'c'] : ['a', 'b'];
let replicas: Readonly<Record<string, TestReplica>> = {};
let drop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  const database = await openTeamDatabase();
  drop = database.drop;
  const at = (file: string, ...args: string[]): object => ({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../integration/servers', file), ...args],
  });
  const servers = { slow: at('slow.ts', log), asker: fixture('asker') };
  const config = { servers, extraTools: ['await_result'], slowCallSeconds: 1 };
  replicas = await startReplicas(database.url, names, config);
});
afterAll(async () => {
  for (const replica of Object.values(replicas)) await replica[Symbol.asyncDispose]();
  await drop?.();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (name: string): string => replicas[name]?.url ?? '';
const ordered = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
/** In `npm test` one pair stands for all. */
const pairs = allCases ? ordered : ordered.slice(0, 1);
const own = bearer(teamToken);
const headers = { ...own, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

let files = 0;

describe.each(pairs)('made by %s and brought to %s,', (from, to) => {
  test('a session answers requests and notices, has its stream, and ends', async () => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
    const opened = await fetch(urlOf(from), { method: 'POST', headers, body });
    await opened.text();
    const id = opened.headers.get('mcp-session-id') ?? '';
    expect(id).toMatch(new RegExp(`^${from}_\\w{6}\\.[\\w-]{22}\\.[\\w-]{22}$`));
    const there = new HttpClient(urlOf(to), false, { ...own, 'mcp-session-id': id });
    const { message } = await there.exchange('tools/list');
    expect(message.result?.['tools']).toContainEqual(expect.objectContaining({ name: 'slow_work' }));
    const told: RawMessage[] = [];
    const leave = new AbortController();
    const listening = there.listen((one) => told.push(one), leave.signal).catch(() => undefined);
    await until(() => told.length > 0);
    leave.abort();
    await listening;
    await there.end();
    const after = await fetch(urlOf(from), {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': id },
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
    });
    expect([after.status, await after.text()]).toEqual([404, expect.stringContaining('Session not found')]);
  });

  test('a handle is waited for, and its tool has run once', async () => {
    const [here, there] = [from, to].map((name) => new ModernClient(new HttpClient(urlOf(name), true, own)));
    const file = join(folder, `answer-${(files += 1)}`);
    const before = runs();
    const first = (await here?.call('slow_work', { file }))?.result;
    expect(textOf(first ?? {})).toContain('is still running');
    finish(file);
    const answer = await finished(first, async (input) => (await there?.call('await_result', input))?.result);
    expect([textOf(answer), runs() - before]).toEqual(['done', 1]);
  });

  test('a question is answered', async () => {
    const form = { elicitation: { form: {} } };
    const [here, there] = [from, to].map((name) => new ModernClient(new HttpClient(urlOf(name), true, own), form));
    const asked = { name: 'asker_ask_form', arguments: { message: 'Who?' } };
    let question: Params = {};
    // One whose server took too long to ask is a call that goes on, and no question.
    while (question['requestState'] === undefined) question = (await here?.once('tools/call', asked))?.result ?? {};
    const { inputRequests, requestState } = question;
    const keys = Object.keys(inputRequests as Params);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: { name: 'me' } }]));
    const answered = (await there?.once('tools/call', { ...asked, requestState, inputResponses }))?.result;
    const answer = await finished(answered, async (input) => (await there?.call('await_result', input))?.result);
    expect(textOf(answer)).toContain('"name":"me"');
    // Used once, it is over, wherever it is brought.
    expect((await there?.once('tools/call', { ...asked, requestState, inputResponses }))?.error?.code).toBe(-32602);
  });

  test('a call as a task is asked after', async () => {
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const [here, there] = [from, to].map((name) => new ModernClient(new HttpClient(urlOf(name), true, own), tasks));
    const file = join(folder, `answer-${(files += 1)}`);
    const created = (await here?.once('tools/call', { name: 'slow_work', arguments: { file } }))?.result;
    const taskId = String(created?.['taskId']);
    expect((await there?.once('tasks/get', { taskId }))?.result).toMatchObject({ status: 'working' });
    finish(file);
    await expect
      .poll(async () => (await there?.once('tasks/get', { taskId }))?.result)
      .toMatchObject({ status: 'completed' });
  });
});

/** Whole at once: the server looks for it all the time. */
function finish(file: string): void {
  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
}

function runs(): number {
  return existsSync(log)
    ? readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line === 'work').length
    : 0;
}
