/**
 * How many more calls three replicas answer than one, each of them given a quarter of a processor core by the system
 * (cgroup v1).
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCpu } from '../process-cpu.mjs';
import { RawHttp } from '../raw-http.mjs';
import { median } from '../statistics.mjs';
import { formatTable } from '../table.mjs';
import { StartedTeam } from './started-team.mjs';

const groups = '/sys/fs/cgroup/cpu';
const periodUs = 10_000;
const quotaUs = 2_500;
const warmUpSeconds = 12;
const seconds = 6;
const rounds = 5;
const inFlight = 24;
const leastRatio = 2.5;

export async function measureReplicas(print) {
  if (process.getuid?.() !== 0 || !existsSync(join(groups, 'cpu.cfs_quota_us'))) {
    print('Three replicas beside one: not measured, it needs cgroup v1 with `cpu`, as root.');
    return undefined;
  }
  await using stack = new AsyncDisposableStack();
  const team = await StartedTeam.start();
  stack.defer(() => team.stop());
  const replicas = [];
  for (let at = 0; at < 3; at++)
    replicas.push(await team.replica({ before: cappedBy(stack, `tooltray-bench-${process.pid}-${at}`) }));
  await calls(replicas, team.token, warmUpSeconds);
  const rows = [];
  for (let round = 1; round <= rounds; round++) {
    const alone = await calls(replicas.slice(0, 1), team.token, seconds);
    const all = await calls(replicas, team.token, seconds);
    const ratio = all.perSecond / alone.perSecond;
    rows.push({
      round,
      'one, calls/s': alone.perSecond,
      'ms of processor': alone.cpu,
      'three, calls/s': all.perSecond,
      ' ms of processor': all.cpu,
      ratio: ratio.toFixed(2),
    });
  }
  const ratio = median(rows.map((row) => Number(row.ratio)));
  print(`each replica at ${(100 * quotaUs) / periodUs} % of a core, its server with it; ${inFlight} calls in flight\n`);
  print(formatTable(rows));
  print(
    `\nthree ÷ one, median: ${ratio.toFixed(2)} (at least ${leastRatio}: ${ratio >= leastRatio ? 'met' : 'MISSED'})`,
  );
  return { rows, ratio };
}

/** In front of a command line, so that it and what it starts get no more than that. */
function cappedBy(stack, name) {
  const group = join(groups, name);
  mkdirSync(group);
  // A group goes when the last of its processes is gone.
  stack.adopt(group, async () => {
    for (let tries = 0; tries < 50; tries++) {
      try {
        return rmdirSync(group);
      } catch {
        await sleep(100);
      }
    }
  });
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaUs));
  return ['/bin/sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh'];
}

/** Calls of 2026-07-28, each client at the next replica. */
async function calls(replicas, token, forSeconds) {
  const clients = await Promise.all(
    Array.from({ length: inFlight }, (_, at) =>
      RawHttp.connect(replicas[at % replicas.length].url, 'modern', { token }),
    ),
  );
  const spent = () => replicas.reduce((sum, { pid }) => sum + processCpu(pid), 0);
  const [before, until] = [spent(), performance.now() + forSeconds * 1000];
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (; performance.now() < until; count++) await client.callTool('echo', { message: 'hello' });
    }),
  );
  const cpu = (spent() - before) / count;
  for (const client of clients) client.close();
  return { perSecond: Math.round(count / forSeconds), cpu: cpu.toFixed(3) };
}
