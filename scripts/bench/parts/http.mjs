/**
 * What a call over HTTP costs: processor time of the core next to that of a bare hop and pipe, time next to the version
 * before, and how many calls there can be a second.
 *
 *   npm run bench -- http --before DIR    beside another build, in turns
 */
import { join } from 'node:path';
import { Core } from '../core.mjs';
import { callsPerRound, callTimes, costOf, cpuOf, inFlight, rowOf, secondsAtFull, throughput } from '../http-cost.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { processCpu } from '../process-cpu.mjs';
import { RawHttp } from '../raw-http.mjs';
import { startHop } from '../start-hop.mjs';
import { interleave } from '../statistics.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';
import { warmUp, warmUpCalls } from '../warm-up.mjs';

/** Whose cost stands apart: few users ever make so many in a row. */
const firstCalls = 2_000;
const rounds = 15;
/**
 * What HTTP may take beyond what the same core takes for the same call over its own socket, in ms of processor time.
 */
const mostAdded = 0.12;
const socket = 'its own socket (shim)';

export async function measure(print) {
  if (processCpu(process.pid) === undefined) {
    print('Not measured: it needs /proc.');
    return undefined;
  }
  await using stack = new AsyncDisposableStack();
  const paths = await openPaths(stack);
  const first = {};
  for (const [name, path] of Object.entries(paths)) first[name] = await cpuOf(path, firstCalls);
  await warmUp(Object.values(paths), callTimes);
  const jobs = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => costOf(path)]));
  const costs = await interleave(jobs, rounds);
  const perSecond = {};
  for (const [name, path] of Object.entries(paths))
    if (path.url !== undefined) perSecond[name] = await throughput(path);
  const rows = Object.entries(costs).map(([path, values]) => ({
    ...rowOf(path, values, perSecond[path]),
    'CPU ms at first': Number(first[path].toFixed(3)),
  }));
  print(
    `echo; ${rounds} interleaved rounds of ${callsPerRound} sequential calls after ${firstCalls + warmUpCalls}; ${inFlight} in flight for ${secondsAtFull} s\n` +
      `at first: of the first ${firstCalls}, while V8 compiles; of the era that comes first most of it\n`,
  );
  print(formatTable(rows));
  const of = (path) => rows.find((row) => row.path === path);
  const bare = of('bare hop + pipe');
  print('');
  for (const era of ['legacy', 'modern']) {
    const ours = of(`${era} era`);
    print(`${era} era: processor time ÷ bare hop + pipe ${verdict(ours['CPU ms'] / bare['CPU ms'], 3)}`);
    const added = ours['CPU ms'] - of(socket)['CPU ms'];
    print(`${era} era: ms of processor time beyond the core's own socket ${verdict(added, mostAdded)}`);
    const before = of(`${era} era, before`);
    if (before !== undefined) print(`${era} era: p50 ÷ before ${verdict(ours['p50 ms'] / before['p50 ms'], 0.5)}`);
  }
  return { rows };
}

async function openPaths(stack) {
  const hop = await startHop(stack);
  const core = await startCore(stack, cli);
  const at = process.argv.indexOf('--before');
  const before = at < 0 ? undefined : await startCore(stack, join(process.argv[at + 1], 'cli.js'));
  const path = async (pid, url, era) => {
    const client = await RawHttp.connect(url, era);
    stack.defer(() => client.close());
    return { pid, url, era, client };
  };
  const stdio = new StdioClient([process.execPath, shim], core.env);
  stack.defer(() => stdio.close());
  await stdio.initialize();
  const callTool = (name, args) => stdio.request('tools/call', { name, arguments: args });
  return {
    'bare hop + pipe': await path(hop.pid, hop.url, 'legacy'),
    [socket]: { pid: core.pid, client: { callTool } },
    'legacy era': await path(core.pid, core.url, 'legacy'),
    'modern era': await path(core.pid, core.url, 'modern'),
    ...(before !== undefined && {
      'legacy era, before': await path(before.pid, before.url, 'legacy'),
      'modern era, before': await path(before.pid, before.url, 'modern'),
    }),
  };
}

/** At the address of one server, its tool has its own name. */
async function startCore(stack, program) {
  const core = await Core.start(program, { echo: entry(fixture('echo')) });
  stack.defer(() => core.stop());
  return { pid: core.pid, url: `${core.url}/server/echo`, env: core.home.env };
}
