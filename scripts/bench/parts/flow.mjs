/**
 * What it costs a call that data which leaves is held against what was read, and servers against what was accepted of
 * them: the same calls through cores that do and one that does not, side by side. What a call costs directly is taken
 * off: the rest is the pipeline's own time.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Core } from '../core.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { interleave, quantile } from '../statistics.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';

const rounds = 400;
const warmUpRounds = 200;
const mostShare = 0.05;

/** A mail of 2 kB, as an inbox has them. */
const mail = JSON.stringify([
  {
    from: 'ann@home.example',
    body: Array.from({ length: 40 }, (_one, at) => `Sentence ${at} of a mail about work and the weekend.`).join(' '),
  },
]);

/** An address that was named before anything was read. */
const own = 'me@home.example';
const kinds = {
  'sends nothing': (at) => ['find_file', { name: `report ${at}` }],
  'reads 2 kB': (at) => ['read_inbox', { page: String(at) }],
  'sends a mail': (at) => ['send_email', { to: own, body: `Hello, this is number ${at}.` }],
};
/**
 * Of twenty calls in a row about as many as in the honest tasks of AgentDojo: three in four read, one in seven sends.
 */
const turn = Array.from({ length: 20 }, (_one, at) =>
  at % 7 === 6 || at === 19 ? 'sends a mail' : at % 7 === 2 ? 'sends nothing' : 'reads 2 kB',
);

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-flow-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'mail.json');
  const tools = [
    { name: 'find_file', parameters: ['name'], answer: 'Found.' },
    { name: 'read_inbox', parameters: ['page'], answer: mail },
    { name: 'send_email', parameters: ['to', 'body'] },
  ];
  writeFileSync(script, JSON.stringify({ tools }));
  const server = [...fixture('scripted'), script];

  const clients = { direct: await open(stack, server) };
  for (const flow of ['off', 'record', 'ask']) {
    const settings = { dataFlow: flow, mode: 'proxy', slowCallSeconds: 0 };
    const core = await Core.start(cli, { mail: entry(server) }, { settings });
    stack.defer(() => core.stop());
    clients[flow] = await open(stack, [process.execPath, shim], core.home.env);
  }
  for (const client of Object.values(clients)) for (let round = 0; round < warmUpRounds; round++) await times(client);
  const jobs = Object.entries(clients).map(([name, client]) => [name, () => times(client)]);
  const taken = await interleave(Object.fromEntries(jobs), rounds);
  const rows = ['all', ...Object.keys(kinds)].map((kind) => compare(taken, kind));
  print(`µs at p50; ${rounds} interleaved rounds of ${turn.length} calls after ${warmUpRounds} to warm up\n`);
  print(formatTable(rows.map(({ share, ...row }) => ({ ...row, 'added by flow': `${(share * 100).toFixed(1)} %` }))));
  print(`\nadded by flow ÷ the pipeline's own time, over all calls: ${verdict(rows[0].share, mostShare)}`);
  print('What was accepted of a server is looked at when it lists; a call asks one map. Both are in every column.');
  return { rows };
}

async function open(stack, command, env) {
  const client = new StdioClient(command, env);
  stack.defer(() => client.close());
  await client.initialize();
  const { tools } = await client.request('tools/list', {});
  const nameOf = (tool) => tools.find(({ name }) => name.endsWith(tool)).name;
  return (tool, args) => client.request('tools/call', { name: nameOf(tool), arguments: args });
}

let count = 0;

/** One turn: the time of each call, in µs. */
async function times(client) {
  const taken = [];
  for (const kind of turn) {
    const [tool, args] = kinds[kind](count++);
    const begun = performance.now();
    const result = await client(tool, args);
    taken.push((performance.now() - begun) * 1000);
    if (result.isError) throw new Error(`A wrong answer came: ${JSON.stringify(result)}`);
  }
  return taken;
}

function compare(taken, kind) {
  const p50 = Object.fromEntries(
    Object.entries(taken).map(([name, all]) => {
      const wanted = all.flatMap((one) => one.filter((_time, at) => kind === 'all' || turn[at] === kind));
      return [name, quantile(wanted, 0.5)];
    }),
  );
  const alone = p50.off - p50.direct;
  const shown = Object.fromEntries(Object.entries(p50).map(([name, value]) => [name, Math.round(value)]));
  return { calls: kind, ...shown, 'pipeline alone': Math.round(alone), share: (p50.ask - p50.off) / alone };
}
