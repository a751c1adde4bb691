/** Reports servers that use too many resources once, until they use less. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { UsageMeter } from '../../../src-main/core/servers/usage-meter.ts';
import { UsageWatch } from '../../../src-main/core/servers/usage-watch.ts';
import { unmeasurableReason } from '../../../src-main/core/servers/launch/process-group-usage.ts';
import { startCore } from '../../support/start-core.ts';

const unmeasured = unmeasurableReason(process.platform);

test.skipIf(unmeasured !== undefined)('reports a server with too many processes until it has fewer', async () => {
  await using core = await startCore({ servers: {} });
  const group = spawn('/bin/sh', ['-c', 'sleep 600 & sleep 600 & sleep 600 & echo up; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = group.pid as number;
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
  await once(group.stdout, 'data');
  let owned = [{ pid, owner: 'many', inContainer: false }];
  const changes: string[] = [];
  let now = 0;
  const usage = new UsageMeter({ registry: { owned: () => owned }, now: () => (now += 2000) });
  const limits = { memoryBytes: Number.MAX_SAFE_INTEGER, processes: 2 };
  const watch = new UsageWatch(usage, core.host.core.context.log, limits);
  watch.changed.on((server) => changes.push(server));
  await watch.check();
  await watch.check();
  expect([changes, watch.problemsOf('many').length, watch.problemsOf('other')]).toEqual([['many'], 1, []]);
  owned = [];
  await watch.check();
  expect([changes, watch.problemsOf('many')]).toEqual([['many', 'many'], []]);
});
