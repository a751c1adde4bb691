/** A core that is killed under the shim: the client app does nothing, and its next call works. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { type RawChild, spawnRaw } from '../support/raw-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { isAlive } from '../support/processes.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture } from '../support/start-core.ts';
import { until } from '../support/until.ts';

/** The build, because a killed core does not save its compile cache, and compiling sources takes most of its start. */
const built = join(import.meta.dirname, '../../dist');
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tooltray-killed-core-'));
  const config = { servers: { victim: fixture('misbehaving', 'well-behaved'), slow: fixture('asker') } };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
});
afterEach(async () => {
  for (const pid of cores().filter(isAlive)) process.kill(pid, 'SIGTERM');
  await until(() => !cores().some(isAlive));
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** The shim of a client app; it starts a core, which records its PID. */
function startShim(...args: string[]): RawChild {
  const record = `require('node:fs').appendFileSync(${JSON.stringify(join(home, 'cores'))}, process.pid + '\\n');`;
  const preload = join(home, 'record-pid.cjs');
  writeFileSync(preload, record);
  const serve = [join(built, 'cli.js'), 'serve', '--port', '0', '--no-open', '--background'];
  const env = {
    ...process.env,
    TOOLTRAY_HOME: home,
    TOOLTRAY_CORE_COMMAND: JSON.stringify([process.execPath, '--require', preload, ...serve]),
  };
  return spawnRaw(process.execPath, [join(built, 'shim.cjs'), ...args], { env });
}

/** PIDs of all started cores; of two started at once only one remains. */
function cores(): number[] {
  const file = join(home, 'cores');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

/** Resolves when the core and its server are gone, with the number of cores started until then. */
async function killCore(serverPid: number): Promise<number> {
  const pids = cores();
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
  await until(() => ![...pids, serverPid].some(isAlive));
  return pids.length;
}

test.runIf(allCases)(
  'the next call of a stateful session works, and the servers of the dead core are gone',
  async () => {
    await using shim = startShim('--app', 'Cursor');
    const { client } = shim;
    await client.initialize();
    const serverPid = Number(textOf(await client.callTool('victim_pid')));
    const before = await killCore(serverPid);
    expect(textOf(await client.callTool('victim_echo', { message: 'still here' }))).toBe('still here');
    expect(cores().length).toBeGreaterThan(before);
    expect(Number(textOf(await client.callTool('victim_pid')))).not.toBe(serverPid);
  },
);

test('the next call of a stateless session works', async () => {
  await using shim = startShim();
  const client = new ModernClient(shim.client);
  await client.once('server/discover');
  const serverPid = Number(textOf((await client.call('victim_pid')).result ?? {}));
  await killCore(serverPid);
  const { result } = await client.call('victim_echo', { message: 'still here' });
  expect(result).toMatchObject({ content: [{ text: 'still here' }] });
});

test('fails a call in flight with the cause, and lists tools after the restart', async () => {
  await using shim = startShim();
  const { client } = shim;
  await client.initialize();
  const serverPid = Number(textOf(await client.callTool('victim_pid')));
  const inFlight = client.exchange('tools/call', { name: 'slow_wait_cancel', arguments: {} });
  await client.request('ping');
  await killCore(serverPid);
  expect((await inFlight).message.error?.message).toMatch(/restarted during this call/);
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toContain('victim_echo');
});

test.runIf(allCases)('two shims of one core both go on, with one new core between them', async () => {
  await using one = startShim();
  await using two = startShim();
  await Promise.all([one.client.initialize(), two.client.initialize()]);
  const serverPid = Number(textOf(await one.client.callTool('victim_pid')));
  await killCore(serverPid);
  const pids = await Promise.all([one, two].map(async ({ client }) => textOf(await client.callTool('victim_pid'))));
  expect(pids[0]).toBe(pids[1]);
});
