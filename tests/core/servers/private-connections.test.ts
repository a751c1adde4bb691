/** Private connections of sessions: when a server gets one, whom it asks, and when the connection ends. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { CallContext } from '../../../src-main/core/servers/in-flight-calls.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import { contextOf, failure, isAlive, say, serversHarness, type ServersHarness } from './servers-harness.ts';
import { until } from '../../support/until.ts';

/** A session that accepts server requests and responds with its own name. */
function askable(sessionId: string, more: Partial<CallContext> = {}): CallContext {
  return contextOf(sessionId, {
    clientCapabilities: { elicitation: {}, roots: {} },
    askClient: async (method) => ({ method, by: sessionId }),
    ...more,
  });
}

const ask = (server: ManagedServer, context: CallContext): Promise<string> =>
  say(server, 'ask', { method: 'elicitation/create' }, context);
const pidOf = async (server: ManagedServer, context: CallContext): Promise<number> =>
  Number(await say(server, 'pid', {}, context));

/** A ready server that has sent a request before. */
async function asking(harness: ServersHarness): Promise<ManagedServer> {
  const script = { capabilities: { tools: {}, logging: {} }, answers: { 'logging/setLevel': {} } };
  const server = harness.server(harness.scripted('s', script));
  await server.ready();
  await ask(server, askable('first'));
  await server.endSession('first');
  return server;
}

test('asks the only calling session, and later gives each session a private connection', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  const [anna, bert] = [askable('anna'), askable('bert')];
  expect(JSON.parse(await ask(server, anna))).toEqual({ method: 'elicitation/create', by: 'anna' });
  expect(harness.pids('s')).toHaveLength(1);
  const answers = await Promise.all([ask(server, anna), ask(server, bert)]);
  expect(answers.map((answer) => (JSON.parse(answer) as JsonObject)['by'])).toEqual(['anna', 'bert']);
  const pids = await Promise.all([pidOf(server, anna), pidOf(server, bert), pidOf(server, contextOf('cannot'))]);
  expect([new Set(pids).size, harness.pids('s').length]).toEqual([3, 3]);
});

test('keeps a session that cannot be asked on the shared connection and returns an error to the server', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  const answer = JSON.parse(await ask(server, contextOf('cannot'))) as JsonObject;
  expect([answer, harness.pids('s').length]).toEqual([{ code: -32601, message: 'Not answered by this test.' }, 1]);
});

test('routes the first request to the right one of several calling sessions', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  const asked: string[] = [];
  const note = (sessionId: string): CallContext =>
    askable(sessionId, { askClient: async () => (asked.push(sessionId), { by: sessionId }) });
  const slow = say(server, 'tick', { times: 1, everyMs: 150 }, note('bert'));
  expect(JSON.parse(await ask(server, note('anna')))).toEqual({ by: 'anna' });
  expect([await slow, asked]).toEqual(['ticked', ['anna']]);
});

test('remembers that a server asks, and gives the first caller after a restart a private connection', async () => {
  const harness = serversHarness();
  const config = harness.scripted('s', { asksRoots: true }, { lazy: true });
  const first = harness.server(config);
  await first.ready();
  await until(() => harness.heard('s').some(({ method }) => method === undefined));
  await first.stop();
  const second = harness.server(config);
  await second.restore();
  await second.start();
  expect(await say(second, 'echo', { message: 'mine' }, askable('anna'))).toBe('mine');
  expect([second.state.kind, harness.pids('s').length]).toEqual(['disconnected', 2]);
});

test('responds to roots/list with no roots if no session is calling', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', { asksRoots: true }));
  await server.ready();
  await until(() => harness.heard('s').some(({ method }) => method === undefined));
  expect(harness.heard('s').filter(({ method }) => method === undefined)).toMatchObject([{ result: { roots: [] } }]);
});

test('introduces the client of the session on a private connection', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  await pidOf(server, askable('anna'));
  const introductions = harness.heard('s').filter(({ method }) => method === 'initialize');
  expect(introductions.at(-1)?.params).toMatchObject({
    clientInfo: { name: 'anna' },
    capabilities: { elicitation: {}, roots: {} },
  });
});

test('closes the private connection when its session ends, and no other', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  const [annas, berts] = await Promise.all([pidOf(server, askable('anna')), pidOf(server, askable('bert'))]);
  await server.endSession('anna');
  expect([isAlive(annas), isAlive(berts), await pidOf(server, askable('bert'))]).toEqual([false, true, berts]);
});

test('leaves no process if a session ends while its connection opens', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  const calling = failure(say(server, 'hang', {}, askable('anna')));
  await until(() => harness.pids('s').length === 2);
  await server.endSession('anna');
  await calling;
  expect(harness.pids('s').map(isAlive)).toEqual([true, false]);
});

test('reopens a killed private connection at the next call and keeps the shared one', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  const anna = askable('anna');
  const first = await pidOf(server, anna);
  const lost = failure(say(server, 'hang', {}, anna));
  process.kill(first, 'SIGKILL');
  expect(await lost).toMatchObject({ code: 'server_exited', data: { server: 's' } });
  expect([await pidOf(server, anna)].includes(first)).toBe(false);
  expect(server.state.kind).toBe('ready');
});

test('shares one private connection among concurrent calls of a session', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  const anna = askable('anna');
  const pids = await Promise.all([1, 2, 3, 4].map(() => pidOf(server, anna)));
  expect([new Set(pids).size, harness.pids('s').length]).toEqual([1, 2]);
});

test('closes all private connections when the server stops, and opens none afterwards', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  await Promise.all([pidOf(server, askable('anna')), pidOf(server, askable('bert'))]);
  await server.stop();
  const refused = await failure(pidOf(server, askable('anna')));
  expect([harness.pids('s').map(isAlive), harness.pids('s').length]).toEqual([[false, false, false], 3]);
  expect(refused.message).toMatch(/^s: /);
});

test('stops idle private connections like the shared one', async () => {
  let now = 0;
  const harness = serversHarness({ now: () => now });
  const config = harness.scripted('s', {}, { idleTimeoutMs: 100 });
  const server = harness.server(config);
  await server.ready();
  await ask(server, askable('anna'));
  const own = await pidOf(server, askable('anna'));
  now += 101;
  await until(() => harness.pids('s').every((pid) => !isAlive(pid)));
  expect(await pidOf(server, askable('anna'))).not.toBe(own);
});

test('sets the log level of the session on its connection, without starting one', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  await server.setLogLevel('debug', askable('anna'));
  expect(harness.pids('s')).toHaveLength(1);
  await pidOf(server, askable('anna', { logLevel: 'debug' }));
  await server.setLogLevel('error', askable('anna'));
  const levels = harness.heard('s').filter(({ method }) => method === 'logging/setLevel');
  expect(levels.map(({ params }) => params?.['level'])).toEqual(['debug', 'error']);
});

test('emits notifications of a private connection for its session only', async () => {
  const harness = serversHarness();
  const server = await asking(harness);
  const told: unknown[] = [];
  server.notified.on(({ method, sessionId }) => told.push([method, sessionId]));
  await say(server, 'announce', { method: 'notifications/vendor' }, askable('anna'));
  await say(server, 'announce', { method: 'notifications/vendor' }, contextOf('cannot'));
  expect(told).toEqual([
    ['notifications/vendor', 'anna'],
    ['notifications/vendor', undefined],
  ]);
});
