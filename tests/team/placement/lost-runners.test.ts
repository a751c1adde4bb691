/** Runners in processes of their own, killed, ended and cut off from the database while fronts call: nothing runs twice, and nothing is left behind. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { isAlive } from '../../core/servers/servers-harness.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { place } from '../../support/start-replicas.ts';
import { tcpDoor } from '../../support/tcp-door.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-lost-runners-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const log = join(folder, 'runs');

const config = {
  servers: {
    counter: {
      ...{ command: process.execPath, args: [join(import.meta.dirname, 'counter-server.ts'), log, '--stays'] },
      ...{ placement: 'personal', isolation: { mode: 'none' } },
    },
  },
  slowCallSeconds: 0,
  personal: { leaseSeconds: 3 },
  http: { drainSeconds: 30 },
};

interface RunnerProcess {
  readonly name: string;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<number | null>;
}

async function startRunner(database: string, name: string): Promise<RunnerProcess> {
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  const entry = join(import.meta.dirname, '../replicas/replica-process.ts');
  const words = [entry, database, name, file, 'runner'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return { name, kill: (signal) => void child.kill(signal), ended };
}

interface Front {
  readonly replica: TestReplica;
  /** What a tool of the counter said, or why it did not. */
  readonly call: (tool: string, args?: object) => Promise<string>;
}

async function startFront(database: string, name: string): Promise<Front> {
  const replica = await startReplica(database, config, { among: place(name, { role: 'front' }) });
  onTestFinished(() => replica[Symbol.asyncDispose]());
  const { session } = await openSession(replica.url);
  const list = async (): Promise<string> =>
    JSON.stringify((await post(replica.url, 'tools/list', {}, session)).message.result);
  await expect.poll(list).toContain('"count"');
  return {
    replica,
    call: async (tool, args = {}) => {
      const params = { name: tool, arguments: args };
      const { message } = await post(replica.url, 'tools/call', params, session);
      const { content } = (message.result ?? {}) as { content?: { text: string }[] };
      return content?.[0]?.text ?? JSON.stringify(message.error);
    },
  };
}

/** Two fronts, and the runner that has Ann's counter before the other one. */
async function startAll() {
  rmSync(log, { force: true });
  const url = await teamDatabase();
  const at = new URL(url);
  const door = await tcpDoor(at.hostname, Number(at.port));
  at.port = String(door.port);
  // The first one is the only choice when the counter begins, and behind the door.
  const one = await startRunner(at.href, 'r1');
  const fronts = [await startFront(url, 'f1'), await startFront(url, 'f2')] as const;
  const first = Number(await fronts[0].call('pid'));
  expect(await holder(url)).toBe('r1');
  const two = await startRunner(url, 'r2');
  return { url, door, one, two, fronts, first };
}

async function holder(url: string): Promise<string | undefined> {
  const sql = connect({ url, most: 1 });
  const [row] = await sql<
    { runner: string }[]
  >`SELECT runner FROM tooltray.personal_leases WHERE until > clock_timestamp()`;
  await sql.end();
  return row?.runner.slice(0, 2);
}

/** How often each call was run, by its own name. */
function runs(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const name of readFileSync(log, 'utf8').trim().split('\n')) counted.set(name, (counted.get(name) ?? 0) + 1);
  return counted;
}

/** Calls of both fronts, eight at a time, until told to stop; every answer by the name of its call. */
function callAgainAndAgain(fronts: readonly Front[]) {
  const answers = new Map<string, string>();
  let isOver = false;
  const callOn = async (front: Front, worker: number): Promise<void> => {
    for (let at = 0; !isOver; at++) {
      const name = `${worker}.${at}`;
      answers.set(name, await front.call('slow', { ms: 20, name }));
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, (_, at) => callOn(fronts[at % fronts.length] as Front, at)));
  return {
    answers,
    stop: async () => {
      isOver = true;
      await all;
    },
  };
}

const wasCut = (answer: string): boolean => answer.includes('may or may not have been carried out');

test('a runner is killed under calls of two fronts: its process is gone, no call runs twice, the next ones run elsewhere', async () => {
  const { url, one, fronts, first } = await startAll();
  const calls = callAgainAndAgain(fronts);
  await until(() => calls.answers.size > 30);
  one.kill('SIGKILL');
  await until(() => !isAlive(first));
  const before = calls.answers.size;
  await until(() => calls.answers.size > before + 30);
  await calls.stop();
  const others = [...calls.answers].filter(([, answer]) => answer !== 'done');
  expect(others.filter(([, answer]) => !wasCut(answer))).toEqual([]);
  // As many as could be in flight.
  expect(others.length).toBeGreaterThan(0);
  expect(others.length).toBeLessThanOrEqual(8);
  const counted = runs();
  expect([...counted].filter(([, times]) => times > 1)).toEqual([]);
  expect([...calls.answers].filter(([name, answer]) => answer === 'done' && !counted.has(name))).toEqual([]);
  expect(await holder(url)).toBe('r2');
});

test('a runner is ended under calls of two fronts: every call is answered, once, and it ends', async () => {
  const { url, one, fronts, first } = await startAll();
  const calls = callAgainAndAgain(fronts);
  await until(() => calls.answers.size > 30);
  one.kill('SIGTERM');
  expect(await one.ended).toBe(0);
  expect(isAlive(first)).toBe(false);
  const before = calls.answers.size;
  await until(() => calls.answers.size > before + 30);
  await calls.stop();
  expect([...calls.answers].filter(([, answer]) => answer !== 'done')).toEqual([]);
  expect([...runs()].filter(([, times]) => times > 1)).toEqual([]);
  expect([runs().size, await holder(url)]).toEqual([calls.answers.size, 'r2']);
});

test('a runner that is cut off from the database has ended its process before another one begins', async () => {
  const { url, door, fronts, first } = await startAll();
  const cut = fronts[0].call('hang');
  door.hold();
  // While the right is its own it goes on.
  let next = first;
  while (next === first || Number.isNaN(next)) next = Number(await fronts[1].call('pid'));
  expect([isAlive(first), isAlive(next)]).toEqual([false, true]);
  expect([wasCut(await cut), await holder(url)]).toEqual([true, 'r2']);
});
