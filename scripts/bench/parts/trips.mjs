/**
 * How many rooms a trip goes through: files and functions of the sources that are entered for one call, one look
 * at a kept answer, one update of the dashboard. What a reader has to open to follow it, and what is paid each time.
 *
 *   npm run bench -- trips            the table
 *   npm run bench -- trips --files    and each file of each trip, with its entries
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { dispatchRpc } from '../../../src-main/rpc/dispatch-rpc.ts';
import { Dashboard } from '../../../src-main/rpc/dashboard.ts';
import { socketLocation } from '../../../src-main/core/base/app-paths.ts';
import { dial } from '../../../src-main/shim/dial.ts';
import { ShimSession } from '../../../src-main/shim/shim-session.ts';
import { RawClient } from '../../../tests/support/raw-client.ts';
import { fixture, startCore } from '../../../tests/support/start-core.ts';
import { formatTable } from '../table.mjs';
import { EntryCounter, linesOf } from '../trips/entries.mjs';

/** Most files and entries of one echo call; the others have no goal of their own. */
const goals = { echo: { files: 40, entries: 270 } };
/** The least of so many is the trip without what happened to run next to it. */
const rounds = 7;
/** What a call leaves to do (records, sums) is over by then, in ms. */
const pauseMs = 600;

export async function measure(print) {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-trips-'));
  try {
    return await measureTrips(home, print);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureTrips(home, print) {
  mkdirSync(join(home, '.cursor'));
  writeFileSync(join(home, '.cursor', 'mcp.json'), '{"mcpServers":{}}\n');
  const config = { servers: { echo: fixture('echo') }, results: { threshold: 2000 } };
  await using core = await startCore(config, { env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') } });
  await using stack = new AsyncDisposableStack();
  const client = await core.open();
  stack.defer(() => void client.socket.destroy());
  const ask = (method, input) => dispatchRpc(method, input, core.host.rpcDeps, new AbortController().signal);
  const said = await client.callTool('echo', {
    message: Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n'),
  });
  const [, id] = /tooltray:\/\/spill\/([a-z0-9]+)/.exec(JSON.stringify(said)) ?? [];
  const counter = await EntryCounter.start();
  const rows = [];
  const measureOne = async (name, run, before = async () => undefined) => {
    await run();
    let best;
    for (let round = 0; round < rounds; round++) {
      await before();
      await sleep(pauseMs);
      const one = await counter.during(run);
      if (best === undefined || one.entries < best.entries) best = one;
    }
    rows.push(rowOf(name, best));
    if (process.argv.includes('--files')) print(filesOf(name, best));
  };
  const app = await throughShim(core, stack);
  await measureOne('echo, through the shim', () => app.callTool('echo', { message: 'hello' }));
  await measureOne('echo, in the core', () => client.callTool('echo', { message: 'hello' }));
  await measureOne('a kept answer read by a model', () =>
    client.callTool('read_result', { resultFile: id, op: 'grep', pattern: 'line 7' }),
  );
  await measureOne('its lines for the dashboard', () => ask('spillLines', { id, fromLine: 1, count: 50 }));
  await measureOne('an install previewed', () => ask('previewInstall', { app: 'cursor' }));
  const dashboard = new Dashboard(core.host.rpcDeps);
  const told = { count: 0 };
  const stop = dashboard.publisher.watch(() => told.count++);
  await measureOne('a dashboard updated by one call', async () => {
    const before = told.count;
    await client.callTool('echo', { message: 'hello' });
    while (told.count === before) await sleep(20);
  });
  stop();
  counter.stop();
  print(`files of src-main entered, in the core's thread and the shim; the least of ${rounds}\n`);
  print(`${formatTable(rows)}\n`);
  const [echo] = rows;
  if (echo.files > goals.echo.files || echo.entries > goals.echo.entries) {
    print(
      `MISSED: an echo goes through ${echo.files} files and ${echo.entries} entries, not ${goals.echo.files} and ${goals.echo.entries}.`,
    );
  }
  return rows;
}

/** A client app whose shim runs in this process, so that it is counted as well. */
async function throughShim(core, stack) {
  const [input, output, ending] = [new PassThrough(), new PassThrough(), new AbortController()];
  const location = socketLocation({ ...process.env, TOOLTRAY_HOME: core.home }, process.platform, homedir());
  const connect = () => dial(location, { purpose: 'session' });
  const run = new ShimSession({ input, output, ending, connect, complain: () => undefined }).run(connect());
  stack.defer(async () => {
    ending.abort();
    input.end();
    await run;
  });
  const client = new RawClient(output, input);
  await client.initialize();
  return client;
}

function rowOf(trip, { files, functions, entries, byFile }) {
  return { trip, files, lines: linesOf(byFile.keys()), functions, entries };
}

function filesOf(name, { byFile }) {
  const rows = [...byFile].sort(([, a], [, b]) => b.entries - a.entries);
  return `${name}\n${rows.map(([file, { entries }]) => `  ${String(entries).padStart(5)}  ${file}`).join('\n')}\n`;
}
