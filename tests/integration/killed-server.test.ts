/** A server that is killed during calls. */
import { expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { isAlive } from '../support/processes.ts';
import type { RawMessage } from '../support/raw-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, ready, startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

/** `answer`, or the message of an error that names the server; undefined for anything else. */
function outcome({ result, error }: RawMessage): string | undefined {
  const text = error?.message ?? textOf(result ?? {});
  if (result?.['isError'] !== true && error === undefined) return /^echo \d+$/.test(text) ? 'answer' : undefined;
  return text.includes('victim') ? 'error that names the server' : text;
}

test('each of 100 calls gets its result or an error that names the server, which restarts within its backoff', async () => {
  await using core = await startCore({
    servers: { victim: fixture('misbehaving', 'well-behaved'), other: fixture('echo') },
  });
  const [anna, bert, other] = await Promise.all([core.open(), core.open(), core.open()]);
  const first = Number(await anna.say('victim_pid'));
  const calls: Promise<{ message: RawMessage }>[] = [];
  for (let count = 0; count < 100; count++) {
    const client = count % 2 === 0 ? anna : bert;
    calls.push(client.exchange('tools/call', { name: 'victim_echo', arguments: { message: `echo ${count}` } }));
    if (count === 50) {
      await calls[20];
      process.kill(first, 'SIGKILL');
    }
  }
  expect(await other.say('other_echo', { message: 'untouched' })).toBe('untouched');
  const outcomes = (await Promise.all(calls)).map(({ message }) => outcome(message));
  expect(new Set(outcomes)).toEqual(new Set(['answer', 'error that names the server']));
  const victim = core.server('victim');
  await ready(victim);
  const second = Number(await anna.say('victim_pid'));
  expect([isAlive(first), isAlive(second), second === first]).toEqual([false, true, false]);
  expect(await bert.say('victim_echo', { message: 'echo 1' })).toBe('echo 1');
});

test('restarts without a call at the time that its state names', async () => {
  await using core = await startCore({ servers: { victim: fixture('misbehaving', 'well-behaved') } });
  const client = await core.open();
  const victim = core.server('victim');
  const states: string[] = [];
  let delay = 0;
  victim.changed.on(() => {
    states.push(victim.state.kind);
    if (victim.state.kind === 'error') delay = victim.state.retryAt - Date.now();
  });
  process.kill(Number(await client.say('pid')), 'SIGKILL');
  await until(() => victim.state.kind === 'error');
  const failed = victim.state;
  expect(failed).toMatchObject({
    failures: 1,
    error: { code: 'server_exited', message: expect.stringContaining('victim was killed by SIGKILL') as string },
  });
  expect(victim.health).toMatchObject({ level: 'error', action: { kind: 'retry' } });
  await ready(victim);
  expect(states).toEqual(['error', 'connecting', 'discovering', 'ready']);
  // One second, plus or minus a quarter.
  expect([delay > 700, delay <= 1250]).toEqual([true, true]);
});

test('leaves no process once the core has stopped: no server, no child, none that ignores signals', async () => {
  const core = await startCore({
    servers: { family: fixture('misbehaving', 'grandchild'), stubborn: fixture('misbehaving', 'stubborn') },
  });
  const client = await core.open();
  const family = JSON.parse(await client.say('family_pids')) as { pid: number; grandchild: number };
  const pids = [family.pid, family.grandchild, Number(await client.say('stubborn_pid'))];
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  await core[Symbol.asyncDispose]();
  await until(() => pids.every((pid) => !isAlive(pid)));
  expect(pids.map(isAlive)).toEqual([false, false, false]);
});

test.runIf(allCases)('a killed server takes its children with it', async () => {
  await using core = await startCore({ servers: { family: fixture('misbehaving', 'grandchild') } });
  const client = await core.open();
  const family = JSON.parse(await client.say('pids')) as { pid: number; grandchild: number };
  process.kill(family.pid, 'SIGKILL');
  await until(() => !isAlive(family.grandchild));
  await ready(core.server('family'));
  expect(JSON.parse(await client.say('pids'))).not.toEqual(family);
});

test("killing the private connection of one session fails only that session's call", async () => {
  await using core = await startCore({ servers: { asker: fixture('asker') } });
  const lines = await Promise.all([core.open({ roots: {} }), core.open({ roots: {} })]);
  for (const line of lines) line.onRequest('roots/list', () => ({ roots: [] }));
  const [anna, bert] = lines;
  await anna.say('ask_roots');
  const pidOf = async (line: typeof anna): Promise<number> =>
    (JSON.parse(await line.say('who')) as { pid: number }).pid;
  const [annas, berts] = [await pidOf(anna), await pidOf(bert)];
  expect(annas).not.toBe(berts);
  const waiting = anna.callTool('wait_cancel');
  const slow = bert.say('slow_progress', { steps: 30, label: 'bert' });
  process.kill(annas, 'SIGKILL');
  expect(await waiting).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('asker') as string }],
  });
  expect(await slow).toBe('bert done');
  expect(await pidOf(anna)).not.toBe(annas);
  expect(await pidOf(bert)).toBe(berts);
  anna.end();
  await anna.closed;
});
