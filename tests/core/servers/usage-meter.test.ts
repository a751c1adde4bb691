/** Measures the resource usage of servers on request. */
import { expect, test } from 'vitest';
import type { GroupUsage } from '../../../src-main/core/servers/launch/process-group-usage.ts';
import { UsageMeter } from '../../../src-main/core/servers/usage-meter.ts';
import { serversHarness } from './servers-harness.ts';

const group = (cpuMs: number, memoryBytes = 10): GroupUsage => ({ processes: 1, memoryBytes, cpuMs });

/** A meter over the given groups, with a controlled clock. */
function meterOver(groups: Map<number, GroupUsage>, platform: NodeJS.Platform = 'linux') {
  let [ms, looks] = [0, 0];
  const owned = [
    { pid: 1, owner: 'a', inContainer: false },
    { pid: 2, owner: 'a', inContainer: false },
    { pid: 3, owner: 'boxed', inContainer: true },
  ];
  const meter = new UsageMeter({
    registry: { owned: () => owned.filter(({ pid }) => groups.has(pid)) },
    now: () => ms,
    platform,
    measure: () => {
      looks++;
      return Promise.resolve(new Map(groups));
    },
  });
  return { meter, wait: (by: number) => (ms += by), looks: () => looks };
}

test('computes the load between two readings, over all processes of a server', async () => {
  const groups = new Map([
    [1, group(100)],
    [2, group(50)],
  ]);
  const { meter, wait } = meterOver(groups);
  expect((await meter.read()).servers).toEqual([
    { server: 'a', processes: 2, memoryBytes: 20, cpuMs: 150, load: undefined, inContainer: false },
  ]);
  wait(2000);
  groups.set(1, group(1100));
  // A new process counts from the next measurement, whatever it used before.
  groups.set(3, group(5000));
  expect((await meter.read()).servers.map(({ server, load, inContainer }) => [server, load, inContainer])).toEqual([
    ['a', 0.5, false],
    ['boxed', undefined, true],
  ]);
});

test('measures at most once a second, and returns no load after a long gap', async () => {
  const groups = new Map([[1, group(100)]]);
  const { meter, wait, looks } = meterOver(groups);
  await Promise.all([meter.read(), meter.read()]);
  wait(900);
  await meter.read();
  expect(looks()).toBe(1);
  wait(60_000);
  expect([(await meter.read()).servers[0]?.load, looks()]).toEqual([undefined, 2]);
});

test('returns the reason if usage cannot be measured', async () => {
  expect(await meterOver(new Map([[1, group(1)]]), 'win32').meter.read()).toEqual({
    servers: [],
    unmeasured: 'Not measured on Windows.',
  });
  const failing = new UsageMeter({
    registry: { owned: () => [] },
    measure: () => Promise.reject(new Error('no ps here')),
    platform: 'darwin',
  });
  expect((await failing.read()).unmeasured).toBe('Not measured: no ps here.');
});

test.skipIf(process.platform === 'win32')('measures a running server under its name until it ends', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  const looking = () => new UsageMeter({ registry: harness.registry }).read();
  const [measured] = (await looking()).servers;
  expect(measured).toMatchObject({ server: 's', processes: 1, inContainer: false });
  expect(measured?.memoryBytes).toBeGreaterThan(10 * 1024 * 1024);
  await server.stop();
  expect((await looking()).servers).toEqual([]);
});
