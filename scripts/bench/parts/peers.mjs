/**
 * Calls over HTTP through npm's bridges from stdio to HTTP and through Tooltray: the same client, the same server, in
 * turns.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { callTimes, costOf, inFlight, rowOf, throughput } from '../http-cost.mjs';
import { installPeers, programOf } from '../install-servers.mjs';
import { cli, entry, fixture } from '../places.mjs';
import { processCpu } from '../process-cpu.mjs';
import { RawHttp } from '../raw-http.mjs';
import { interleave } from '../statistics.mjs';
import { formatTable } from '../table.mjs';
import { warmUp } from '../warm-up.mjs';

const rounds = 10;
const leastTimes = 3;

/** Command lines of bridges that keep a session, for a server given as a command line. */
const bridges = {
  'mcp-proxy': (port, server) => ['--port', port, '--host', '127.0.0.1', '--server', 'stream', '--', ...server],
  supergateway: (port, server) => [
    ...['--stdio', server.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
    ...['--port', port, '--logLevel', 'none'],
  ],
};

export async function measure(print) {
  if (processCpu(process.pid) === undefined) {
    print('Not measured: it needs /proc.');
    return undefined;
  }
  await installPeers();
  await using stack = new AsyncDisposableStack();
  const core = await Core.start(cli, { echo: entry(fixture('echo')) });
  stack.defer(() => core.stop());
  const url = `${core.url}/server/echo`;
  const places = {
    'Tooltray, legacy era': [core.pid, url, 'legacy'],
    'Tooltray, modern era': [core.pid, url, 'modern'],
  };
  for (const name of Object.keys(bridges)) places[name] = await startBridge(name, stack);
  const paths = {};
  for (const [name, [pid, at, era]] of Object.entries(places)) {
    const client = await RawHttp.connect(at, era);
    stack.defer(() => client.close());
    paths[name] = { pid, url: at, era, client };
  }
  await warmUp(Object.values(paths), callTimes);
  const costs = await interleave(
    Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => costOf(path)])),
    rounds,
  );
  const rows = [];
  for (const [name, path] of Object.entries(paths)) rows.push(rowOf(name, costs[name], await throughput(path)));
  print(`echo, ${inFlight} in flight for calls a second\n`);
  print(formatTable(rows));
  const perSecond = (name) => rows.find(({ path }) => path === name)['calls/s'];
  print('');
  for (const era of ['legacy', 'modern'])
    for (const name of Object.keys(bridges)) {
      const times = perSecond(`Tooltray, ${era} era`) / perSecond(name);
      print(
        `${era} era, calls a second ÷ ${name}: ${times.toFixed(2)} (at least ${leastTimes}: ${times >= leastTimes ? 'met' : 'MISSED'})`,
      );
    }
  return rows;
}

async function startBridge(name, stack) {
  const port = await freePort();
  const [node, script] = programOf(name, 'peers');
  const child = spawn(node, [script, ...bridges[name](String(port), fixture('echo'))], { stdio: 'ignore' });
  stack.defer(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  for (let isUp = false; !isUp; await sleep(100)) {
    isUp = await fetch(url).then(
      () => true,
      () => false,
    );
  }
  return [child.pid, url, 'legacy'];
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
