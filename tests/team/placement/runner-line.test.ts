/** Lines between replicas over a real inner door: opened by a pass for one person and server, bounded, and ended from both sides. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as dial } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { type Message, serializeMessage } from '../../../src-main/core/wire/message.ts';
import type { Transport } from '../../../src-main/core/wire/transport.ts';
import { answeredLine, askForLine, type LineAnswer, refuseLine } from '../../../src-main/team/placement/runner-line.ts';
import { TeamKeys } from '../../../src-main/team/records/team-keys.ts';
import { InnerDoor, lineProtocol, notHere, type TakeLine } from '../../../src-main/team/replicas/inner-door.ts';
import {
  type LineClaims,
  passedHeaders,
  passHeader,
  PassReader,
  signLinePass,
  signPass,
} from '../../../src-main/team/replicas/passes.ts';
import { type Seals, sealsFor } from '../../../src-main/team/replicas/seals.ts';
import { until } from '../../support/until.ts';

const sealsOf = (byte: number): Seals => sealsFor(new TeamKeys([Buffer.alloc(32, byte)]), 'passes');
const seals = sealsOf(1);
const now = 1_000_000;
const claims: LineClaims = {
  ...{ to: 'r_000000', from: 'f_000000', server: 'counter' },
  person: { tenant: 'main', user: 'ann' },
};

/** `take` has what gets through. */
function doorFor(take: TakeLine | undefined): InnerDoor {
  return new InnerDoor({
    replica: claims.to,
    ...{ host: '127.0.0.1', port: 0, tenant: 'main' },
    passes: new PassReader(seals, claims.to, () => now),
    takeLine: () => take,
    questions: { take: () => Promise.resolve(undefined) },
    listener: () => undefined,
    isClaimed: () => false,
    heard: () => undefined,
    mostBytes: () => 1024,
    log: { warn: () => undefined },
  });
}

/** Where it is open. */
async function openDoor(take: TakeLine | undefined): Promise<string> {
  const door = doorFor(take);
  onTestFinished(() => door.stop());
  return door.start();
}

function ask(address: string, pass: string, signal = new AbortController().signal): Promise<LineAnswer> {
  return askForLine({ ...{ address, pass, signal, stream: {} }, follow: () => () => undefined });
}

const pass = (more: Partial<LineClaims> = {}, at = now, by = seals): string =>
  signLinePass(by, { ...claims, ...more }, at);

const deaf = { onMessage: () => undefined, onClose: () => undefined, onOddity: () => undefined };

/** Both ends of a line, listened to. */
async function openLine() {
  const taken = Promise.withResolvers<Transport>();
  let socket: Duplex | undefined;
  const address = await openDoor((_, given, leftover) => {
    socket = given;
    taken.resolve(answeredLine(given, { leftover }));
  });
  const asked = ask(address, pass());
  const ends = { front: [] as Message[], runner: [] as Message[], closed: [] as string[] };
  const listen = (who: 'front' | 'runner', end: Transport): Promise<void> =>
    end.start({
      onMessage: (message) => void ends[who].push(message),
      onClose: () => void ends.closed.push(who),
      onOddity: (text) => expect.unreachable(text),
    });
  const runner = await taken.promise;
  await listen('runner', runner);
  const answer = await asked;
  if (answer.kind !== 'line') throw new Error('It was to be a line.');
  await listen('front', answer.line);
  return { ...ends, line: answer.line, end: runner, socket: socket as Duplex };
}

test('messages of megabytes go both ways, in order, and each end ends the other', async () => {
  const { line, end, front, runner, closed } = await openLine();
  const params = { text: 'x'.repeat(8 * 1024 * 1024) };
  for (const id of [1, 2, 3]) await line.send({ jsonrpc: '2.0', id, method: 'work', params });
  for (const id of [1, 2, 3]) await end.send({ jsonrpc: '2.0', id, result: params });
  await until(() => front.length === 3 && runner.length === 3);
  expect([front, runner].map((heard) => heard.map((one) => ('id' in one ? one.id : undefined)))).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(front[2] && serializeMessage(front[2]).join('').trim()).toBe(
    JSON.stringify({ jsonrpc: '2.0', id: 3, result: params }),
  );
  await end.close();
  await until(() => closed.length === 2);
  const other = await openLine();
  await other.line.close();
  await until(() => other.closed.length === 2);
});

test('a runner that is gone ends the line, also where the connection does not notice', async () => {
  const address = await openDoor((_, socket, leftover) => void answeredLine(socket, { leftover }).start(deaf));
  const ends: (() => void)[] = [];
  const answer = await askForLine({
    ...{ address, pass: pass(), stream: {}, signal: new AbortController().signal },
    follow: (end) => {
      ends.push(end);
      return () => undefined;
    },
  });
  if (answer.kind !== 'line') throw new Error('It was to be a line.');
  let isClosed = false;
  await answer.line.start({ ...deaf, onClose: () => (isClosed = true) });
  ends.at(-1)?.();
  await until(() => isClosed);
});

test('a runner whose answers are not read reads nothing more, and what only passes is not kept for later', async () => {
  const { line, end, runner, socket } = await openLine();
  line.hold?.(true);
  const answer = { jsonrpc: '2.0' as const, id: 1, result: { text: 'x'.repeat(32 * 1024 * 1024) } };
  await end.send(answer);
  expect(socket.writableLength).toBeGreaterThan(8 * 1024 * 1024);
  const unsent = socket.writableLength;
  for (let at = 0; at < 100; at++) await end.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { at } });
  expect([socket.writableLength <= unsent, socket.isPaused()]).toEqual([true, true]);
  await line.send({ jsonrpc: '2.0', id: 2, method: 'work' });
  line.hold?.(false);
  await until(() => runner.length === 1);
});

test('a line is opened once by its own pass and by no other', async () => {
  const taken: LineClaims[] = [];
  const address = await openDoor((given, socket) => {
    taken.push(given);
    socket.destroy();
  });
  const good = pass();
  const [text = '', seal = ''] = good.split('.');
  const forged = Buffer.from(
    JSON.stringify({ ...claims, person: { tenant: 'main', user: 'eve' }, at: now, nonce: 'n' }),
  );
  const asRequest = signPass(
    seals,
    { to: claims.to, person: claims.person, place: { path: '/mcp', holder: 'person' }, digest: 'none' },
    { method: 'GET', headers: {} },
    now,
  );
  const refused = {
    'for another person': `${forged.toString('base64url')}.${seal}`,
    'with another seal': `${text}.${seal.slice(1)}x`,
    'too late': pass({}, now - 31_000),
    'too early': pass({}, now + 31_000),
    'by other keys': pass({}, now, sealsOf(2)),
    'for another runner': pass({ to: 's_000000' }),
    'for another tenant': pass({ person: { tenant: 'other', user: 'ann' } }),
    'for a request': asRequest,
    'that is none': 'x',
  };
  const statuses = await Promise.all(
    Object.entries(refused).map(async ([how, one]) => [how, await statusOf(address, { [passHeader]: one })]),
  );
  expect(statuses).toEqual(Object.keys(refused).map((how) => [how, 403]));
  expect(await statusOf(address, {})).toBe(403);
  // It is for a line, not for a request, and for lines of ours.
  expect(await statusOf(address, { [passHeader]: pass(), upgrade: 'websocket' })).toBe(403);
  expect(passedHeaders({ [passHeader]: good })).toEqual({});
  // Of requests the same: the first is not here, and was let in.
  const requestBy = (tenant: string): string =>
    signPass(
      seals,
      { to: claims.to, person: { tenant, user: 'ann' }, place: { path: '/mcp', holder: 'person' }, digest: 'none' },
      { method: 'GET', headers: { accept: 'any' } },
      now,
    );
  const asked = (tenant: string): Promise<number | undefined> =>
    statusOf(address, { accept: 'any', [passHeader]: requestBy(tenant) }, {});
  expect([await asked('main'), await asked('other')]).toEqual([notHere, 403]);
  expect(taken).toEqual([]);
  await ask(address, good);
  await until(() => taken.length === 1);
  expect(taken).toMatchObject([claims]);
  expect(await statusOf(address, { [passHeader]: good })).toBe(403);
});

test('who was refused and does not hang up holds nobody up who ends', async () => {
  const door = doorFor(undefined);
  const [host = '', port] = (await door.start()).split(':');
  const stranger = dial({ host, port: Number(port), allowHalfOpen: true });
  stranger.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${lineProtocol}\r\n\r\n`);
  const [said] = (await once(stranger, 'data')) as [Buffer];
  expect(said.toString()).toMatch(/^HTTP\/1\.1 403 /);
  await door.stop();
  stranger.destroy();
});

test('why a runner has none is told as it says it; one that is not there, or runs none, is told apart', async () => {
  const why = new AppError('secret_missing', 'It needs a secret.', { fix: 'Set it.', data: { name: 'X' } });
  const refusing = await openDoor((_, socket) => refuseLine(socket, why));
  expect(await ask(refusing, pass())).toMatchObject({
    kind: 'refused',
    why: { code: 'secret_missing', message: 'It needs a secret.', fix: 'Set it.', data: { name: 'X' } },
  });
  expect(await ask(await openDoor(undefined), pass())).toEqual({ kind: 'unreached' });
  expect(await ask('127.0.0.1:1', pass())).toEqual({ kind: 'unreached' });
  // Nobody waits for it any more.
  const leave = new AbortController();
  const slow = await openDoor(() => leave.abort());
  expect(await ask(slow, pass(), leave.signal)).toEqual({ kind: 'unreached' });
});

function statusOf(
  address: string,
  headers: Record<string, string>,
  asLine: Record<string, string> = { connection: 'Upgrade', upgrade: lineProtocol },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`http://${address}/`, { headers: { ...asLine, ...headers } });
    asked.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once('upgrade', () => reject(new Error('It was opened.')));
    asked.once('error', reject).end();
  });
}
