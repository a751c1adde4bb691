/** Measures the usage of process groups with real processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { measureGroups, unmeasurableReason } from '../../../../src-main/core/servers/launch/process-group-usage.ts';
import { until } from '../../../support/until.ts';

const mb = 1024 * 1024;
/** Allocates 60 MB and works until it has used 300 ms of processor time; then it reports and waits. */
const worker = `const held = Buffer.alloc(60 * ${mb}, 1);
  while (process.cpuUsage().user + process.cpuUsage().system < 300_000) Math.sqrt(held.length);
  process.stdout.write('worked ' + process.pid + '\\n');
  setInterval(() => held.length, 1000);`;
const startWorker = (detached: boolean): string =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(worker)}], ` +
  `{ stdio: ['ignore', 'inherit', 'inherit'], detached: ${detached} });`;

/** A leader that starts a shell, which starts a busy Node.js process: its grandchild. */
async function startFamily(detached = false): Promise<{ readonly leader: number; readonly grandchild: number }> {
  const script =
    `require('node:child_process').spawn('/bin/sh', ['-c', '"$0" -e "$1"; true', process.execPath, ` +
    `${JSON.stringify(`${startWorker(detached)} setInterval(() => 0, 1000);`)}], { stdio: ['ignore', 'inherit', 'inherit'] });`;
  const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const leader = child.pid ?? 0;
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let grandchild = 0;
  onTestFinished(async () => {
    const isOver = once(child, 'exit');
    process.kill(-leader, 'SIGKILL');
    if (detached && grandchild !== 0) process.kill(grandchild, 'SIGKILL');
    await isOver;
  });
  await until(() => said.includes('worked'));
  grandchild = Number(said.replace(/\D/g, ''));
  return { leader, grandchild };
}

test.skipIf(process.platform === 'win32')(
  'measures memory and CPU time of a group with all its descendants',
  async () => {
    const { leader } = await startFamily();
    const usage = (await measureGroups([leader])).get(leader);
    expect(usage?.processes).toBe(4);
    expect(usage?.memoryBytes).toBeGreaterThan(100 * mb);
    expect(usage?.cpuMs).toBeGreaterThanOrEqual(300);
  },
);

test.skipIf(process.platform === 'win32')(
  'counts descendants in their own process group, as in a sandbox',
  async () => {
    const { leader, grandchild } = await startFamily(true);
    const usages = await measureGroups([leader, process.pid]);
    expect(usages.get(leader)?.processes).toBe(4);
    expect(grandchild).toBeGreaterThan(0);
    // A group's usage is not counted for the group that started it.
    expect(usages.get(process.pid)?.memoryBytes).toBeGreaterThan(0);
  },
);

test('leaves out a group that has ended, and returns nothing for no groups', async () => {
  const child = spawn(process.execPath, ['-e', '0'], { detached: true, stdio: 'ignore' });
  await once(child, 'exit');
  expect([...(await measureGroups([child.pid ?? 0])), ...(await measureGroups([]))]).toEqual([]);
});

test('returns the reason on platforms without measurement', () => {
  expect(['linux', 'darwin', 'win32'].map((one) => unmeasurableReason(one as NodeJS.Platform))).toEqual([
    undefined,
    undefined,
    'Not measured on Windows.',
  ]);
});
