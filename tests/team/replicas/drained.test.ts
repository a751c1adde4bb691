/** A replica that is told to end loses nothing: what runs is answered, its sessions go on elsewhere, new ones are opened there. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { bearer } from '../../support/callers.ts';
import { finished, handleIn } from '../../support/finished.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import type { Params } from '../../support/raw-client.ts';
import { fixture } from '../../support/start-core.ts';
import { place, startReplicas } from '../../support/start-replicas.ts';
import { startReplica, teamToken } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-drained-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a replica that ends answers what runs, lets its sessions go on at once, and opens new ones elsewhere', async () => {
  const database = await teamDatabase();
  const log = join(folder, 'log');
  const file = join(folder, 'answer');
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const servers = { slow: { command: process.execPath, args: [slow, log] } };
  const config = { servers, slowCallSeconds: 0, http: { drainSeconds: 30 } };
  const { b } = await startReplicas(database, ['b'], config);
  onTestFinished(() => b[Symbol.asyncDispose]());
  const a = await startReplica(database, config, { among: place('a', { noticeMs: 1_000, leaseMs: 3_600_000 }) });
  onTestFinished(() => a[Symbol.asyncDispose]());

  const [busy, idle] = [(await openSession(a.url)).session, (await openSession(a.url)).session];
  const work = { name: 'slow_work', arguments: { file } };
  const noted = (): number => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);
  const direct = post(a.url, 'tools/call', work, busy);
  const passed = post(b.url, 'tools/call', work, busy);
  await until(() => noted() === 2);

  const draining = a.replica.drain();
  await until(() => a.replica.replicas?.isDraining === true);
  expect((await openSession(a.url)).session).toMatch(/^b_/);
  // Its lease would hold for an hour: it has let go of what it does not need.
  await until(() => a.replica.host.httpDoor?.listener.hasSession(idle) === false);
  expect((await post(b.url, 'tools/list', {}, idle)).status).toBe(200);
  // What is still busy there is answered there.
  expect((await post(b.url, 'tools/list', {}, busy)).status).toBe(200);
  expect(a.replica.host.httpDoor?.listener.hasSession(busy)).toBe(true);

  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
  expect((await Promise.all([direct, passed])).map(({ message }) => JSON.stringify(message.result))).toEqual([
    expect.stringContaining('done'),
    expect.stringContaining('done'),
  ]);
  await draining;
  await a.replica.stop();
  expect((await post(b.url, 'tools/list', {}, busy)).status).toBe(200);
  expect(noted()).toBe(2);
});

test('a session that another replica took over, since the database was away, has what runs answered where it runs, once', async () => {
  const database = await teamDatabase();
  const [log, file] = [join(folder, 'log of taken'), join(folder, 'answer of taken')];
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const config = { servers: { slow: { command: process.execPath, args: [slow, log] } }, slowCallSeconds: 0 };
  const { a, b } = await startReplicas(database, ['a', 'b'], config);
  onTestFinished(async () => {
    for (const replica of [a, b]) await replica[Symbol.asyncDispose]();
  });
  const { session } = await openSession(a.url);
  const running = post(a.url, 'tools/call', { name: 'slow_work', arguments: { file } }, session);
  await until(() => existsSync(log));
  const [ours, theirs] = [a.replica.replicas, b.replica.replicas];
  // As whoever is asked first after an outage finds it: a could not say that it is there.
  const claim = async (): Promise<unknown> => {
    await a.replica.database
      .shared`UPDATE tooltray.replicas SET until = now() - interval '1 s' WHERE id = ${ours?.registry.id ?? ''}`;
    return theirs?.book.claim(session ?? '', { tenant: 'main', user: 'tester' });
  };
  await expect.poll(claim).toEqual({ by: 'us' });
  ours?.registry.lapsed.emit();
  await until(() => a.replica.host.httpDoor?.listener.hasSession(session) === false);
  expect((await post(a.url, 'tools/list', {}, session)).status).toBe(200);
  expect(b.replica.host.httpDoor?.listener.hasSession(session)).toBe(true);
  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
  const { message, status } = await running;
  expect([status, JSON.stringify(message.result)]).toEqual([200, expect.stringContaining('done')]);
  expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(1);
  expect((await post(b.url, 'tools/list', {}, session)).status).toBe(200);
});

test('what comes for a session while it changes hands is answered by whoever has it then', async () => {
  const database = await teamDatabase();
  const config = { servers: { echo: fixture('echo') }, slowCallSeconds: 0 };
  const { a, b } = await startReplicas(database, ['a', 'b'], config);
  onTestFinished(async () => {
    for (const replica of [a, b]) await replica[Symbol.asyncDispose]();
  });
  const { session } = await openSession(a.url);
  const [leaving, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const book = a.replica.replicas?.book;
  const leave = book?.leave.bind(book);
  Object.assign(book ?? {}, {
    leave: async (sessions: Parameters<NonNullable<typeof leave>>[0]) => {
      if (sessions.length > 0) {
        leaving.resolve();
        await released.promise;
      }
      await leave?.(sessions);
    },
  });
  const draining = a.replica.drain();
  await leaving.promise;
  const call = { name: 'echo_echo', arguments: { message: 'meanwhile' } };
  const asked = post(b.url, 'tools/call', call, session);
  await until(() => (a.replica.host.httpDoor?.listener.counts.sessions ?? 1) === 0);
  // It is on its way, and told nothing yet.
  expect(await Promise.race([asked, listed(b.url)])).toBe('listed');
  released.resolve();
  expect((await asked).message.result).toMatchObject({ content: [{ text: 'meanwhile' }] });
  await draining;
});

test('a replica that ends waits for who was promised an answer, and for who was asked a question', async () => {
  const database = await teamDatabase();
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const servers = {
    slow: { command: process.execPath, args: [slow, join(folder, 'awaited')] },
    asker: fixture('asker'),
  };
  const config = { servers, extraTools: ['await_result'], slowCallSeconds: 0.3, http: { drainSeconds: 60 } };
  const { a, b } = await startReplicas(database, ['a', 'b'], config);
  onTestFinished(async () => {
    for (const replica of [a, b]) await replica[Symbol.asyncDispose]();
  });
  const files = ['one', 'two'].map((name) => join(folder, name));
  const { session } = await openSession(a.url);
  const modern = (url: string): ModernClient =>
    new ModernClient(new HttpClient(url, true, bearer(teamToken)), { elicitation: { form: {} } });
  const wait = (input: Params): Params => ({ name: 'await_result', arguments: input });
  const work = (file: string | undefined): Params => ({ name: 'slow_work', arguments: { file } });
  const legacy = (await post(a.url, 'tools/call', work(files[0]), session)).message.result;
  const slowOne = (await modern(a.url).once('tools/call', work(files[1]))).result;
  expect([legacy, slowOne].map((answer) => handleIn(answer) !== undefined)).toEqual([true, true]);
  const question = { name: 'asker_ask_form', arguments: { message: 'Who?' } };
  let asked: Params = {};
  // On a busy machine any call is a slow one: one whose server took too long to ask is a call that goes on, and no question.
  while (asked['requestState'] === undefined) {
    asked = (await modern(a.url).once('tools/call', question)).result ?? {};
    const handle = handleIn(asked);
    if (handle !== undefined) await modern(a.url).once('tools/call', wait({ handle, cancel: true }));
  }
  const { inputRequests, requestState } = asked;
  let isOver = false;
  const draining = a.replica.drain().then(() => (isOver = true));
  await until(() => a.replica.replicas?.isDraining === true);
  for (const file of files) {
    writeFileSync(`${file}.part`, 'done');
    renameSync(`${file}.part`, file);
  }
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests as Params).map((key) => [key, { action: 'accept', content: { name: 'me' } }]),
  );
  const there = async (params: Params): Promise<Params | undefined> =>
    (await modern(b.url).once('tools/call', params)).result;
  const waitThere = (input: Params): Promise<Params | undefined> => there(wait(input));
  const answered = await there({ ...question, requestState, inputResponses });
  const answers = [await finished(answered, waitThere), await finished(slowOne, waitThere)];
  expect(isOver).toBe(false);
  const inSession = async (input: Params): Promise<Params | undefined> =>
    (await post(b.url, 'tools/call', wait(input), session)).message.result;
  answers.push(await finished(legacy, inSession));
  expect(answers.map((answer) => JSON.stringify(answer))).toEqual([
    expect.stringContaining('me'),
    expect.stringContaining('done'),
    expect.stringContaining('done'),
  ]);
  await draining;
});

async function listed(url: string): Promise<string> {
  await openSession(url);
  return 'listed';
}
