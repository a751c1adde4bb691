/** What one replica asks another for a person: over its real inner door, once, as that person and nobody else. */
import { request as send } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { Event } from '../../../src-main/core/base/events.ts';
import { TeamKeys } from '../../../src-main/team/records/team-keys.ts';
import { InnerDoor } from '../../../src-main/team/replicas/inner-door.ts';
import { InnerQuestions, questionPath } from '../../../src-main/team/replicas/inner-questions.ts';
import { digestOf, passHeader, PassReader, signQuestionPass } from '../../../src-main/team/replicas/passes.ts';
import { Reach } from '../../../src-main/team/replicas/reach.ts';
import type { Replica } from '../../../src-main/team/replicas/replica-registry.ts';
import { sealsFor } from '../../../src-main/team/replicas/seals.ts';

const seals = sealsFor(new TeamKeys([Buffer.alloc(32, 1)]), 'passes');
const ana = { tenant: 'main', user: 'ana' };
const now = (): number => 1_000_000;

function at(address: string): Replica {
  return { id: 'b_000000', tenant: 'main', role: 'all', address, version: '1', isDraining: false, config: '' };
}

/** `forget`: the database takes it for gone. */
function questions(replica = at('')): { readonly asks: InnerQuestions; readonly forget: () => void } {
  const gone = new Event<string>();
  let known: Replica | undefined = replica;
  const reach = new Reach({ registry: { gone, find: () => known }, patienceMs: 20 });
  const forget = (): void => {
    known = undefined;
    gone.emit(replica.id);
  };
  return { asks: new InnerQuestions({ seals, now, reach }), forget };
}

/** The inner door of a replica, and what it was asked. */
async function open(answer: (input: object, person: object) => Promise<object>): Promise<Replica> {
  const { asks } = questions();
  asks.answer('inbox', answer);
  const door = new InnerDoor({
    ...{
      replica: 'b_000000',
      host: '127.0.0.1',
      port: 0,
      tenant: 'main',
      questions: asks,
      passes: new PassReader(seals, 'b_000000', now),
    },
    ...{ takeLine: () => undefined, listener: () => undefined, isClaimed: () => false, heard: () => undefined },
    ...{ mostBytes: () => 1024, log: { warn: () => undefined } },
  });
  const address = await door.start();
  onTestFinished(() => door.stop());
  return at(address);
}

/** What is answered with this pass. */
function statusFor({ address }: Replica, pass: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { [passHeader]: pass };
    const asked = send(`http://${address}${questionPath}`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

test('it is answered for its person, or refused in the words of whoever has it', async () => {
  const there = await open((input, person) => {
    if ('id' in input) return Promise.resolve({ input, person });
    return Promise.reject(new AppError('not_found', 'Nothing waits.', { fix: 'Look again.', data: { a: 1 } }));
  });
  const { asks } = questions(there);
  expect(await asks.ask(there, 'inbox', { id: 'ü' }, ana)).toEqual({ input: { id: 'ü' }, person: ana });
  const refused = { code: 'not_found', message: 'Nothing waits.', fix: 'Look again.', data: { a: 1 } };
  await expect(asks.ask(there, 'inbox', {}, ana)).rejects.toMatchObject(refused);
  await expect(asks.ask(there, 'something newer', {}, ana)).rejects.toMatchObject({ code: 'store_unreachable' });
});

test('a pass asks this one question of this one replica, once, for people of its tenant', async () => {
  const asked: object[] = [];
  const there = await open((input) => Promise.resolve({ times: asked.push(input) }));
  const claims = { to: there.id, person: ana, kind: 'inbox', digest: digestOf('{}') };
  const pass = signQuestionPass(seals, claims, now());
  expect(await statusFor(there, pass, '{}')).toBe(200);
  const others: [string, string][] = [
    [pass, '{}'],
    [signQuestionPass(seals, claims, now()), '{"id":"another"}'],
    [signQuestionPass(seals, { ...claims, to: 'c_000000' }, now()), '{}'],
    [signQuestionPass(seals, { ...claims, person: { ...ana, tenant: 'other' } }, now()), '{}'],
    [signQuestionPass(seals, claims, now() - 60_000), '{}'],
    [signQuestionPass(sealsFor(new TeamKeys([Buffer.alloc(32, 2)]), 'passes'), claims, now()), '{}'],
    ['', '{}'],
  ];
  for (const [other, body] of others) expect(await statusFor(there, other, body)).toBe(403);
  expect(asked).toEqual([{}]);
});

test('whoever asks is told whether it was taken, where the other one is not there or is lost over it', async () => {
  const nobody = at('127.0.0.1:1');
  await expect(questions(nobody).asks.ask(nobody, 'inbox', {}, ana)).rejects.toMatchObject({
    code: 'store_unreachable',
    message: expect.stringContaining('nothing was done') as string,
  });
  // It takes what it is asked, is gone by what the database says, and does not answer.
  const heard = Promise.withResolvers<void>();
  const silent = createTcp((socket) => {
    socket.on('data', () => heard.resolve()).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  const there = at(await listening(silent));
  onTestFinished(() => void silent.close());
  const { asks, forget } = questions(there);
  const asked = asks.ask(there, 'inbox', {}, ana);
  void heard.promise.then(forget);
  await expect(asked).rejects.toMatchObject({ code: 'call_failed' });
});

async function listening(server: Pick<Server, 'listen' | 'address'>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
