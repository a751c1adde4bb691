/**
 * How long an echo call takes: directly, through shim and core, and through the floor. Over HTTP: `http`.
 *
 *   npm run bench -- latency --before DIR    beside another build, in turns
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { startFloor } from '../start-floor.mjs';
import { interleave, quantile } from '../statistics.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';
import { warmUp, warmUpCalls } from '../warm-up.mjs';

/**
 * Short turns, so that all paths find the machine in the same state: a row of calls soon has all its processes on one
 * core, which halves the time, and whether it stays so is chance.
 */
const callsPerRound = 20;
const rounds = 100;
/** Before each turn, so that what a path puts off until its calls are answered is in no other's time. */
const pauseMs = 300;
/** And in rows so long that it has to be done between their calls. */
const callsInARow = 500;
const rows = 8;
const mostRatio = 1.35;
const mostRatioOfSlow = 1.8;

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const paths = await openPaths(stack);
  await warmUp(Object.values(paths), times);
  const inTurns = async (callsPerTurn, turns) => {
    const turn = (call) => async () => {
      await sleep(pauseMs);
      return times(call, callsPerTurn);
    };
    const jobs = Object.fromEntries(Object.entries(paths).map(([name, call]) => [name, turn(call)]));
    return summary(await interleave(jobs, turns));
  };
  print(`echo, µs; after ${warmUpCalls} calls to warm up, all paths in turns, a pause of ${pauseMs} ms before each`);
  const [bursts, inARow] = [await inTurns(callsPerRound, rounds), await inTurns(callsInARow, rows)];
  print(`\n${rounds} times ${callsPerRound} calls, one after the other\n`);
  print(formatTable(bursts.paths));
  print(`\nadded by shim + core ÷ added by the floor: p50 ${verdict(bursts.ratio.p50, mostRatio)}`);
  print(`p99 ${verdict(bursts.ratio.p99, mostRatioOfSlow)}; p10 ${bursts.ratio.p10.toFixed(2)}`);
  printBefore(print, bursts);
  print(`\n${rows} times ${callsInARow} calls, one after the other\n`);
  print(formatTable(inARow.paths));
  const { p50, p99 } = inARow.ratio;
  print(`\nadded by shim + core ÷ added by the floor: p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}`);
  printBefore(print, inARow);
  return { bursts, inARow };
}

function printBefore(print, { ratioBefore }) {
  if (ratioBefore === undefined) return;
  const { p10, p50, p99 } = ratioBefore;
  print(`before: p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, p10 ${p10.toFixed(2)}`);
}

/**
 * Every path at once, each with processes of its own: what one's core does after its answers is not in another's time.
 * Nothing else: a user has one core, and each further one that takes turns with it leaves it a colder processor (with
 * three of them p50 was a fifth higher).
 */
async function openPaths(stack) {
  const start = async (program) => {
    const core = await Core.start(program, { echo: entry(fixture('echo')) });
    stack.defer(() => core.stop());
    return core;
  };
  const core = await start(cli);
  const floor = await startFloor(fixture('echo'));
  stack.defer(() => floor.stop());
  const open = async (command, env) => {
    const client = new StdioClient(command, env);
    stack.defer(() => client.close());
    await client.initialize();
    return (message) => client.request('tools/call', { name: 'echo', arguments: { message } });
  };
  return {
    direct: await open(fixture('echo')),
    floor: await open(floor.command),
    'shim + core': await open([process.execPath, shim], core.home.env),
    ...(await openBefore(start, open)),
  };
}

/** Shim and core of the build that `--before` names. */
async function openBefore(start, open) {
  const at = process.argv.indexOf('--before');
  if (at < 0) return {};
  const folder = process.argv[at + 1];
  const core = await start(join(folder, 'cli.js'));
  return { 'shim + core, before': await open([process.execPath, join(folder, 'shim.cjs')], core.home.env) };
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
  const floor = figures(values.floor);
  const ratiosOf = (path) => {
    const of = figures(values[path]);
    const ratio = (key) => (of[key] - direct[key]) / (floor[key] - direct[key]);
    return { p10: ratio('p10'), p50: ratio('p50'), p99: ratio('p99') };
  };
  const before = 'shim + core, before';
  return { paths, ratio: ratiosOf('shim + core'), ...(before in values && { ratioBefore: ratiosOf(before) }) };
}

function figures(taken) {
  const all = taken.flatMap((one) => [...one]);
  return { p10: quantile(all, 0.1), p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}
