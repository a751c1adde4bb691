/** How long an echo call takes: directly, through shim and core, through the floor, and over HTTP. */
import { Core } from '../core.mjs';
import { HttpClient } from '../http-client.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { startFloor } from '../start-floor.mjs';
import { interleave, quantile } from '../statistics.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';

/**
 * Short turns, so that all paths find the machine in the same state: a row of calls soon has all its processes on one core,
 * which halves the time, and whether it stays so is chance.
 */
const callsPerRound = 20;
const rounds = 250;
/** V8 goes on optimising the core's longer path up to about here. */
const warmUpCalls = 10_000;
const mostRatio = 1.5;

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const paths = await openPaths(stack);
  for (const call of Object.values(paths)) await times(call, warmUpCalls);
  const jobs = Object.fromEntries(
    Object.entries(paths).map(([name, call]) => [name, () => times(call, callsPerRound)]),
  );
  const result = summary(await interleave(jobs, rounds));
  const { paths: rows, ratio } = result;
  print(
    `echo, µs; ${rounds} interleaved rounds of ${callsPerRound} sequential calls after ${warmUpCalls} to warm up\n`,
  );
  print(formatTable(rows));
  print(`\nadded by shim + core ÷ added by the floor: p50 ${verdict(ratio.p50, mostRatio)}`);
  print(`the same where nothing got in the way (p10): ${ratio.p10.toFixed(2)}; p99: ${ratio.p99.toFixed(2)}`);
  return result;
}

/** Every path at once, each with an echo server of its own. */
async function openPaths(stack) {
  const core = await Core.start(cli, { echo: entry(fixture('echo')) });
  stack.defer(() => core.stop());
  const floor = await startFloor(fixture('echo'));
  stack.defer(() => floor.stop());
  const open = async (command, env) => {
    const client = new StdioClient(command, env);
    stack.defer(() => client.close());
    await client.initialize();
    return (message) => client.request('tools/call', { name: 'echo', arguments: { message } });
  };
  const http = async (era) => {
    const client = await HttpClient.connect(core.url, era);
    stack.defer(() => client.close());
    return (message) => client.callTool('echo', { message });
  };
  return {
    direct: await open(fixture('echo')),
    floor: await open(floor.command),
    'shim + core': await open([process.execPath, shim], core.home.env),
    'HTTP, legacy era': await http('legacy'),
    'HTTP, modern era': await http('modern'),
  };
}

/** The time of each call, in µs. */
async function times(call, count) {
  const taken = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const message = `hello ${i}`;
    const begun = performance.now();
    const result = await call(message);
    taken[i] = (performance.now() - begun) * 1000;
    if (result.content[0].text !== message) throw new Error(`A wrong answer came: ${JSON.stringify(result)}`);
  }
  return taken;
}

function summary(values) {
  const direct = figures(values.direct);
  const paths = Object.entries(values).map(([path, taken]) => {
    const { p10, p50, p99 } = figures(taken);
    const added = { 'p50 added': Math.round(p50 - direct.p50), 'p99 added': Math.round(p99 - direct.p99) };
    return { path, p10: Math.round(p10), p50: Math.round(p50), p99: Math.round(p99), ...added };
  });
  const [ours, floor] = [figures(values['shim + core']), figures(values.floor)];
  const ratioOf = (key) => (ours[key] - direct[key]) / (floor[key] - direct[key]);
  return { paths, ratio: { p10: ratioOf('p10'), p50: ratioOf('p50'), p99: ratioOf('p99') } };
}

function figures(taken) {
  const all = taken.flatMap((one) => [...one]);
  return { p10: quantile(all, 0.1), p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}
