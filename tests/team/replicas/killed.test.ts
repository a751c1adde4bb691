/** A replica is killed, or sleeps: what it had is gone on with or said to be gone, and nothing is run a second time. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import type { Params } from '../../support/raw-client.ts';
import { textOf } from '../../support/socket-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplicas } from '../../support/start-replicas.ts';
import { teamToken } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const log = join(folder, 'log');
const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
const config = {
  servers: { slow: { command: process.execPath, args: [slow, log] }, asker: fixture('asker') },
  extraTools: ['await_result'],
  slowCallSeconds: 0,
};
const runs = (): number =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line === 'work').length
    : 0;

/** A replica that can be killed, and where it is. */
async function startAlone(database: string, name: string, settings: object) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(settings));
  const entry = join(import.meta.dirname, 'replica-process.ts');
  const child = spawn(process.execPath, [entry, database, name, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (piece: Buffer) => resolve(piece.toString().trim()));
    child.once('exit', () => reject(new Error(`${name} did not start.`)));
  });
  return { url, kill: (signal: NodeJS.Signals = 'SIGKILL') => child.kill(signal) };
}

test('its sessions are taken over by exactly one of the others, its calls and questions are said to be gone', async () => {
  const database = await teamDatabase();
  const others = await startReplicas(database, ['b', 'c'], { ...config, slowCallSeconds: 1 });
  onTestFinished(async () => {
    for (const replica of Object.values(others)) await replica[Symbol.asyncDispose]();
  });
  const { b, c } = others;
  const lost = await startAlone(database, 'a', { ...config, slowCallSeconds: 1 });
  const modern = (url: string): ModernClient =>
    new ModernClient(new HttpClient(url, true, bearer(teamToken)), { elicitation: { form: {} } });

  const { session } = await openSession(lost.url);
  const first = (await modern(lost.url).call('slow_work', { file: join(folder, 'never') })).result;
  const { handle } = ((first?.['_meta'] ?? {}) as Params)['tooltray/pending'] as { handle: string };
  const asked = { name: 'asker_ask_form', arguments: { message: 'Who?' } };
  let requestState: unknown;
  // One whose server took too long to ask is a call that goes on, and no question.
  while (requestState === undefined)
    requestState = (await modern(lost.url).once('tools/call', asked)).result?.['requestState'];
  // Passed on by b, and killed in the middle.
  const before = runs();
  const running = post(
    b.url,
    'tools/call',
    { name: 'slow_work', arguments: { file: join(folder, 'nor this') } },
    session,
  );
  await until(() => runs() > before);
  lost.kill();
  const cut = await running;
  expect(cut.message.error?.message).toContain('was lost in the middle of it. It may have run, and was not run again.');
  expect(runs() - before).toBe(1);

  const list = (): Promise<number[]> =>
    Promise.all([b, c].map(async ({ url }) => (await post(url, 'tools/list', {}, session)).status));
  // Until its lease is over nobody can know whether it is there.
  await expect.poll(list).toEqual([200, 200]);
  const open = [b, c].map(
    ({ replica }) => replica.host.core.sessions.all.filter(({ client }) => client === 'team-app').length,
  );
  expect(open.toSorted()).toEqual([0, 1]);

  for (const { url } of [b, c]) {
    const answer = (await modern(url).call('await_result', { handle })).result;
    expect([answer?.['isError'], textOf(answer ?? {})]).toEqual([
      true,
      expect.stringContaining('gone with the replica of Tooltray that ran it; nothing was run again'),
    ]);
    const question = await modern(url).once('tools/call', { ...asked, requestState, inputResponses: {} });
    expect(question.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('nothing was run again') as string,
    });
  }
  expect(runs() - before).toBe(1);
});

test('who waits for one that sleeps is told, its session goes on elsewhere, and when it wakes up nothing is run again', async () => {
  const database = await teamDatabase();
  const { b } = await startReplicas(database, ['b'], config);
  onTestFinished(() => b[Symbol.asyncDispose]());
  const asleep = await startAlone(database, 'a', config);
  const { session } = await openSession(asleep.url);
  const before = runs();
  const file = join(folder, 'when it wakes up');
  const running = post(b.url, 'tools/call', { name: 'slow_work', arguments: { file } }, session);
  await until(() => runs() > before);
  asleep.kill('SIGSTOP');
  const { status, message } = await running;
  expect([status, message.error?.message]).toEqual([502, expect.stringContaining('It may have run, and was not run')]);
  const list = async (url: string): Promise<number> => (await post(url, 'tools/list', {}, session)).status;
  await expect.poll(() => list(b.url)).toBe(200);
  asleep.kill('SIGCONT');
  writeFileSync(file, 'done');
  // It learns that others have taken it over, and passes on what it is asked there.
  expect(await list(asleep.url)).toBe(200);
  await expect
    .poll(() => b.replica.host.core.sessions.all.filter(({ client }) => client === 'team-app').length)
    .toBe(1);
  expect(runs() - before).toBe(1);
});
