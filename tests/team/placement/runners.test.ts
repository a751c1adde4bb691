/** Fronts and runners of a team, each a whole replica: a person's process is at one runner, whichever front is asked, and never at two. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { byRendezvous } from '../../../src-main/team/replicas/rendezvous.ts';
import type { ReplicaRole } from '../../../src-main/team/replicas/replica-role.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { place } from '../../support/start-replicas.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-runners-'));
const log = join(folder, 'log');
const tester = { tenant: 'main', user: 'tester' };
const lives = ['r1_000000', 'r2_000000'].map((id) => ({ id }));
/** A name for which this runner is the first choice. */
const namedFor = (runner: string, word: string): string =>
  Array.from({ length: 100 }, (_, at) => `${word}${at}`).find((name) =>
    byRendezvous(lives, tester, name)[0]?.id.startsWith(`${runner}_`),
  ) ?? '';
const counters = { r1: namedFor('r1', 'counter'), r2: namedFor('r2', 'counter') };
const slow = namedFor('r1', 'slow');
const personal = (file: string, ...args: string[]) => ({
  ...{ command: process.execPath, args: [join(import.meta.dirname, file), ...args] },
  ...{ placement: 'personal', isolation: { mode: 'none' } },
});
const config = {
  servers: {
    [counters.r1]: personal('counter-server.ts'),
    [counters.r2]: personal('counter-server.ts'),
    [slow]: personal('../../integration/servers/slow.ts', log),
  },
  slowCallSeconds: 0,
  // Longer than any of these tests: nothing here may wait for a lease to end.
  personal: { perRunner: 3, leaseSeconds: 300 },
};

type Name = 'f1' | 'f2' | 'r1' | 'r2';
let url: string;
let drop: () => Promise<void>;
const replicas = {} as Record<Name, TestReplica>;
const sessions = {} as Record<Name, string>;

const start = (name: Name, role: ReplicaRole): Promise<TestReplica> =>
  startReplica(url, config, {
    among: place(name, { role }),
    env: { [`SECRET_OF_${role.toUpperCase()}`]: 'a secret of this replica' },
    operations: { address: '127.0.0.1', port: 0 },
  });

beforeAll(async () => {
  ({ url, drop } = await openTeamDatabase());
  // Runners first: whoever looks for one knows them.
  for (const name of ['r1', 'r2'] as const) replicas[name] = await start(name, 'runner');
  for (const name of ['f1', 'f2'] as const) {
    replicas[name] = await start(name, 'front');
    sessions[name] = (await openSession(replicas[name].url)).session;
    const names = async (): Promise<string> => JSON.stringify((await ask(name, 'tools/list')).message.result);
    // What they list is known when somebody's process has told it.
    const whole = new RegExp(`(?=.*${slow}_work)(?=.*${counters.r1}_count)(?=.*${counters.r2}_count)`);
    while (!whole.test(await names()));
  }
});
afterAll(async () => {
  for (const replica of Object.values(replicas)) await replica[Symbol.asyncDispose]();
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (at: Name, method: string, params = {}) => post(replicas[at].url, method, params, sessions[at]);

async function call(at: Name, name: string, args = {}): Promise<string> {
  const { message } = await ask(at, 'tools/call', { name, arguments: args });
  const { content, isError } = message.result as { content?: { text: string }[]; isError?: boolean };
  const text = content?.[0]?.text ?? JSON.stringify(message);
  return isError === true ? `error: ${text}` : text;
}

/** Who has which process, by the names of server and runner. */
async function held(): Promise<Record<string, string>> {
  // As the owner of the database, whom no tenant bounds.
  const sql = connect({ url, most: 1 });
  const rows = await sql<{ server: string; runner: string }[]>`SELECT server, runner FROM tooltray.personal_leases`;
  await sql.end();
  return Object.fromEntries(rows.map(({ server, runner }) => [server, runner.slice(0, 2)]));
}

test('fronts that call at once share one process, at the runner that its name leads to: every pair of them', async () => {
  for (const runner of ['r1', 'r2'] as const) {
    const tool = (name: string): string => `${counters[runner]}_${name}`;
    const counted = await Promise.all((['f1', 'f2', 'f1', 'f2'] as const).map((front) => call(front, tool('count'))));
    expect(counted.toSorted()).toEqual(['1', '2', '3', '4']);
    expect(new Set([await call('f1', tool('pid')), await call('f2', tool('pid'))]).size).toBe(1);
  }
  expect(await held()).toEqual({ [counters.r1]: 'r1', [counters.r2]: 'r2', [slow]: 'r1' });
});

test('it has nothing of what the front or its runner was started with', async () => {
  const variables = await call('f1', `${counters.r1}_env`);
  expect(JSON.parse(variables)).toMatchObject({ HOME: expect.stringContaining(replicas.r1.folder) as string });
  expect(variables).not.toMatch(/SECRET_OF|TOOLTRAY|a secret of this replica/);
  // What its parent was started with is there for it to look at, where no box keeps it from that: that is not the front.
  expect(variables).not.toContain(replicas.f1.folder);
});

test('a runner takes no client apps, and says so; its limit is told, and counted', async () => {
  const { status, message } = await post(replicas.r1.url, 'tools/list');
  expect([status, message.error?.message]).toEqual([421, expect.stringContaining('takes no client apps')]);
  const measures = await (await fetch(`http://127.0.0.1:${replicas.r1.replica.operationsPort}/metrics`)).text();
  expect(measures).toMatch(/^tooltray_personal_processes 2$/m);
  expect(measures).toMatch(/^tooltray_personal_processes_limit 3$/m);
  expect(measures).toMatch(/^tooltray_personal_refused_total{limit="runner"} 0$/m);
  const front = await (await fetch(`http://127.0.0.1:${replicas.f1.replica.operationsPort}/metrics`)).text();
  expect(front).not.toContain('tooltray_personal');
});

test('a runner that ends answers what runs there; what is idle there begins elsewhere at once, and nothing runs twice', async () => {
  const file = join(folder, 'answer');
  const noted = (): number => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);
  const running = (['f1', 'f2'] as const).map((front) => call(front, `${slow}_work`, { file }));
  await until(() => noted() === 2);
  let isOver = false;
  const ending = replicas.r1.replica.drain().then(() => void (isOver = true));
  // Its count begins anew: it is another process, and no lease was waited for.
  await expect.poll(() => call('f1', `${counters.r1}_count`)).toBe('1');
  expect(await call('f2', `${counters.r1}_count`)).toBe('2');
  expect([isOver, (await held())[slow]]).toEqual([false, 'r1']);
  // The same server of the same person waits for its turn.
  const other = join(folder, 'other');
  writeFileSync(other, 'next');
  const next = call('f1', `${slow}_work`, { file: other });
  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
  expect(await Promise.all([...running, next])).toEqual(['done', 'done', 'next']);
  await ending;
  expect([noted(), await held()]).toEqual([3, { [counters.r1]: 'r2', [counters.r2]: 'r2', [slow]: 'r2' }]);
});
