/** How soon somebody answers: the shim with a core that runs, and a private core with a listing that is cached. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundleServer } from '../bundle-server.mjs';
import { Core } from '../core.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { startFloor } from '../start-floor.mjs';
import { interleave, median } from '../statistics.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';

const rounds = 25;
const node = process.execPath;
const mostOfNode = 1.3;
/**
 * The target is meant for a server as users install it, which is not bundled; the bundled one is the stricter measure.
 */
const mostOfServer = 2;

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const core = await Core.start(cli, { echo: entry(fixture('echo')) });
  stack.defer(() => core.stop());
  const floor = await startFloor(fixture('echo'));
  stack.defer(() => floor.stop());
  const times = summary(await interleave(await jobsWith(core, floor), rounds));
  const ratios = {
    shimToNode: ratio(times, names.shim, names.node),
    standaloneToServer: ratio(times, names.standalone, names.server),
    standaloneToBundledServer: ratio(times, names.standalone, names.bundledServer),
  };
  print(`ms from spawn; ${rounds} interleaved rounds, the first left out\n`);
  print(formatTable(times));
  print(`\nshim ÷ node -e 0: ${told(ratios.shimToNode, mostOfNode)}`);
  print(`standalone ÷ SDK server: ${told(ratios.standaloneToServer, mostOfServer)}`);
  print(`standalone ÷ SDK server bundled: ${told(ratios.standaloneToBundledServer, mostOfServer)}`);
  return { times, ratios };
}

const names = {
  node: 'node -e 0, to its exit',
  floor: 'the floor’s pipe, to initialize',
  shim: 'shim, to initialize',
  stdio: 'cli.js stdio, to initialize',
  standalone: 'cli.js stdio --standalone, to tools/list',
  server: 'SDK server, to tools/list',
  bundledServer: 'SDK server bundled, to tools/list',
};

async function jobsWith(core, floor) {
  const { env, config } = core.home;
  const bundled = await bundleServer('echo-sdk');
  // Its own listing comes from the cache that the running core has filled; nothing else of that core is used.
  const standalone = [node, cli, 'stdio', '--standalone', '--config', config];
  return {
    [names.node]: () => toExit([node, '-e', '0']),
    [names.floor]: () => toInitialize(floor.command),
    [names.shim]: () => toInitialize([node, shim], env),
    [names.stdio]: () => toInitialize([node, cli, 'stdio'], env),
    [names.standalone]: () => toTools(standalone, env),
    [names.server]: () => toTools(fixture('echo-sdk')),
    [names.bundledServer]: () => toTools([node, bundled]),
  };
}

async function toExit([command, ...args]) {
  const begun = performance.now();
  await once(spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] }), 'exit');
  return performance.now() - begun;
}

function toInitialize(command, env) {
  return timed(command, env, () => undefined);
}

function toTools(command, env) {
  return timed(command, env, async (client) => {
    const tools = await client.listTools();
    if (tools.length === 0) throw new Error(`${command.join(' ')} listed no tools.`);
  });
}

async function timed(command, env, andThen) {
  const begun = performance.now();
  const client = new StdioClient(command, env);
  await client.initialize();
  await andThen(client);
  const taken = performance.now() - begun;
  await client.close();
  return taken;
}

function summary(values) {
  return Object.entries(values).map(([what, [, ...taken]]) => {
    return { what, median: round(median(taken)), least: round(Math.min(...taken)) };
  });
}

function ratio(times, ours, theirs) {
  const of = (what) => times.find((row) => row.what === what);
  return { median: of(ours).median / of(theirs).median, least: of(ours).least / of(theirs).least };
}

function told({ median: ofMedians, least }, most) {
  return `${verdict(ofMedians, most)}; of the least times ${least.toFixed(2)}`;
}

function round(ms) {
  return Math.round(ms * 10) / 10;
}
