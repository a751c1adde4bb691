/** Another replica that takes what it is asked and answers nothing any more: whoever waits is told so, nothing is sent again; one that is only slow is waited for. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Event } from '../../../src-main/core/base/events.ts';
import { TeamKeys } from '../../../src-main/team/records/team-keys.ts';
import { PassOn } from '../../../src-main/team/replicas/pass-on.ts';
import { Reach } from '../../../src-main/team/replicas/reach.ts';
import type { Replica } from '../../../src-main/team/replicas/replica-registry.ts';
import { sealsFor } from '../../../src-main/team/replicas/seals.ts';
import { until } from '../../support/until.ts';

const everyMs = 20;

/** As the database has it, at this port. */
function replicaAt(port: number): Replica {
  const address = `127.0.0.1:${port}`;
  return { id: 'b_000000', tenant: 'main', role: 'all', address, version: '1', isDraining: false, config: '' };
}

function reachOf(replica: Replica, patienceMs: number, pauseMs = everyMs) {
  const gone = new Event<string>();
  let known: Replica | undefined = replica;
  const registry = { gone, find: (id: string) => (id === replica.id ? known : undefined) };
  const forget = (): void => void (known = undefined);
  return { reach: new Reach({ registry, everyMs: pauseMs, patienceMs }), gone, forget };
}

async function listen(handler: RequestListener): Promise<number> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Takes all that comes, as a program that sleeps or a way whose packets are lost. */
async function stalled() {
  let heard = '';
  const server = createTcp((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('data', (piece) => (heard += piece.toString())).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, calls: () => heard.split('POST / ').length - 1 };
}

/** What an app is answered at a front that passes all of it on to this one. */
async function askThrough(replica: Replica, by: Reach | PassOn): Promise<{ status: number; text: string }> {
  const passOn =
    by instanceof PassOn ? by : new PassOn(sealsFor(new TeamKeys([Buffer.alloc(32, 1)]), 'passes'), () => 0, by);
  onTestFinished(() => passOn.stop());
  const message = { jsonrpc: '2.0' as const, id: 7, method: 'tools/call', params: { name: 'send_mail' } };
  const body = {
    text: JSON.stringify(message),
    inbound: { kind: 'legacy' as const, messages: [message], isBatch: false },
  };
  const place = { path: '/mcp', holder: 'app' };
  const port = await listen((request, response) => {
    void passOn.to(replica, { request, response, endpoint: {}, place, body }, { tenant: 'main', user: 'ana' });
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: body.text });
  return { status: answer.status, text: await answer.text() };
}

test('who waits for one that answers nothing any more is told that the call may have run, and it was sent once', async () => {
  const other = await stalled();
  const replica = replicaAt(other.port);
  const { reach } = reachOf(replica, everyMs);
  const { status, text } = await askThrough(replica, reach);
  expect([status, text]).toEqual([502, expect.stringContaining('It may have run, and was not run again.')]);
  expect([other.calls(), reach.size]).toEqual([1, 0]);
});

/** The connection of before ends as this is asked on it, or after it was taken. */
async function hungUpOn(taken: boolean) {
  const asked: string[] = [];
  const port = await listen((request, response) => {
    const pass = String(request.headers['tooltray-pass']);
    const isFirst = asked.length === 0;
    const isAgain = asked.includes(pass);
    asked.push(pass);
    request.resume();
    // As the door of a replica that has seen this pass.
    if (isAgain && taken) response.writeHead(403, { 'tooltray-replica': 'b_000000' }).end();
    else if (isFirst || isAgain) response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    else request.socket.destroy();
  });
  const replica = replicaAt(port);
  const passOn = new PassOn(
    sealsFor(new TeamKeys([Buffer.alloc(32, 1)]), 'passes'),
    () => 0,
    // No look at it meanwhile, however busy this machine is: all that comes there is counted.
    reachOf(replica, 60_000, 60_000).reach,
  );
  onTestFinished(() => passOn.stop());
  const answers = [await askThrough(replica, passOn), await askThrough(replica, passOn)];
  return { answers, asked };
}

test('what goes out on a connection that the other side was just closing is sent once more by the same pass, which counts once', async () => {
  const { answers, asked } = await hungUpOn(false);
  expect(answers).toEqual([1, 2].map(() => ({ status: 200, text: '{"done":true}' })));
  expect(asked).toHaveLength(3);
  const { answers: again } = await hungUpOn(true);
  expect(again[1]).toMatchObject({ status: 502, text: expect.stringContaining('It may have run') as string });
});

test('one that takes its time and still answers a look is waited for', async () => {
  let looks = 0;
  let release = (): void => undefined;
  const port = await listen((request, response) => {
    if (request.method === 'POST') release = () => void response.end('{"done":true}');
    else response.writeHead(403).end(() => (looks += 1));
  });
  const replica = replicaAt(port);
  // This machine may stall.
  const { reach } = reachOf(replica, 60_000);
  const asking = askThrough(replica, reach);
  await until(() => looks > 5);
  release();
  expect(await asking).toEqual({ status: 200, text: '{"done":true}' });
  expect(reach.size).toBe(0);
});

test('one that is gone by the database’s word and does not answer is waited for no longer; each is looked at once, however many wait', async () => {
  const other = await stalled();
  const replica = replicaAt(other.port);
  const { reach, gone, forget } = reachOf(replica, everyMs, 60_000);
  const told: string[] = [];
  const stops = ['one', 'two', 'three'].map((who) => reach.watch(replica.id, () => told.push(who)));
  expect(reach.size).toBe(1);
  stops[1]?.();
  gone.emit('c_000000');
  forget();
  gone.emit(replica.id);
  await until(() => told.length > 0);
  expect([told, reach.size]).toEqual([['one', 'three'], 0]);
});

test('one that the database took for gone, since nobody could tell it otherwise, and that answers is waited for', async () => {
  let looks = 0;
  let release = (): void => undefined;
  const port = await listen((request, response) => {
    if (request.method === 'POST') release = () => void response.end('{"done":true}');
    else response.writeHead(403, { 'tooltray-replica': 'b_000000' }).end(() => (looks += 1));
  });
  const replica = replicaAt(port);
  const { reach, gone, forget } = reachOf(replica, 60_000);
  const asking = askThrough(replica, reach);
  await until(() => looks > 0);
  forget();
  gone.emit(replica.id);
  const before = looks;
  await until(() => looks > before + 2);
  release();
  expect(await asking).toEqual({ status: 200, text: '{"done":true}' });
});

test('another life of a replica, at the same address, is not the one that is waited for', async () => {
  const port = await listen((_request, response) => response.writeHead(403, { 'tooltray-replica': 'b_999999' }).end());
  const { reach } = reachOf(replicaAt(port), 60_000);
  await new Promise<void>((resolve) => reach.watch('b_000000', resolve));
});
