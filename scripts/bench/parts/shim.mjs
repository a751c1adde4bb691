/**
 * What sessions over the shim take of memory, beside as many processes of Node that do nothing: what is a process's
 * own, and what all of them share (Node's program and its snapshot lie in memory once).
 *
 *   npm run bench -- shim --flags "--lite-mode --max-semi-space-size=1"    next to the same with these flags of Node
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { processCpu } from '../process-cpu.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';

const counts = [1, 5, 10];
const echoes = 400;
const settleMs = 1500;
/** Of a process that does nothing: what is ours is the rest. */
const mostOfNode = 1.25;
const node = process.execPath;

export async function measure(print) {
  if (memoryOf(process.pid) === undefined) {
    print('Not measured: it needs /proc.');
    return undefined;
  }
  await using stack = new AsyncDisposableStack();
  const core = await Core.start(cli, { echo: entry(fixture('echo')) });
  stack.defer(() => core.stop());
  const at = process.argv.indexOf('--flags');
  const flags = at < 0 ? [] : process.argv[at + 1].split(' ');
  const rows = [];
  for (const count of counts) {
    rows.push({ what: 'node that does nothing', count, ...(await ofNodes(count)), used: '', 'CPU ms': '' });
    rows.push({ what: 'shim', count, ...(await ofShims(count, [], core)) });
    if (flags.length > 0) rows.push({ what: flags.join(' '), count, ...(await ofShims(count, flags, core)) });
  }
  print(
    `MB of one of them; own: in no other process; used: own after ${echoes} echoes, with the processor time of all its life\n`,
  );
  print(formatTable(rows));
  const most = counts.at(-1);
  const [bare, ours] = ['node that does nothing', 'shim'].map((what) =>
    rows.find((row) => row.what === what && row.count === most),
  );
  print(`\nshim ÷ node that does nothing, own, ${most} of each: ${verdict(ours.own / bare.own, mostOfNode)}`);
  return rows;
}

async function ofNodes(count) {
  const all = Array.from({ length: count }, () =>
    spawn(node, ['-e', 'setInterval(() => undefined, 1e6)'], { stdio: 'ignore' }),
  );
  try {
    await sleep(settleMs);
    return meanMemory(all.map(({ pid }) => pid));
  } finally {
    for (const child of all) {
      child.kill();
      await once(child, 'close');
    }
  }
}

/** Each with a session of its own. */
async function ofShims(count, flags, core) {
  const all = Array.from({ length: count }, () => new StdioClient([node, ...flags, shim], core.home.env));
  try {
    for (const client of all) await client.initialize();
    await sleep(settleMs);
    const pids = all.map(({ pid }) => pid);
    const idle = meanMemory(pids);
    for (const client of all) await callEchoes(client);
    await sleep(settleMs);
    const cpu = pids.reduce((sum, pid) => sum + processCpu(pid), 0) / count;
    return { ...idle, used: meanMemory(pids).own, 'CPU ms': Math.round(cpu) };
  } finally {
    for (const client of all) await client.close();
  }
}

async function callEchoes(client) {
  for (let at = 0; at < echoes; at++) {
    await client.request('tools/call', { name: 'echo_echo', arguments: { message: `hello ${at}` } });
  }
}

function meanMemory(pids) {
  const all = pids.map(memoryOf);
  const mean = (key) => Number((all.reduce((sum, one) => sum + one[key], 0) / all.length).toFixed(1));
  return { resident: mean('resident'), proportional: mean('proportional'), own: mean('own') };
}

/** In MB; undefined if the system does not tell it. `proportional` counts what several share by parts. */
function memoryOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const of = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
    return { resident: of('Rss'), proportional: of('Pss'), own: of('Private_Clean') + of('Private_Dirty') };
  } catch {
    return undefined;
  }
}
