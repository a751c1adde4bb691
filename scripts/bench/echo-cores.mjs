/**
 * The same call through two cores that differ in one thing, side by side with the bare server. What a call costs
 * directly is taken off: the rest is the pipeline's own time, and the difference between the two is what the thing
 * costs.
 */
import { Core } from './core.mjs';
import { cli, entry, fixture, shim } from './places.mjs';
import { interleave, quantile } from './statistics.mjs';
import { StdioClient } from './stdio-client.mjs';
import { formatTable } from './table.mjs';

const callsPerRound = 20;
const rounds = 250;
const warmUpRounds = 150;

/** An answer of 2 kB, as most are. */
const message = Array.from({ length: 40 }, (_one, at) => `Sentence ${at} of a text about work and the weekend.`).join(
  ' ',
);

/**
 * `without` and `with`: what Core.start takes next to the servers, with `cli` where that is not the build. Prints a
 * table; resolves to its rows, at 10, 50 and 90 %; `share` is of the pipeline's own time.
 */
export async function compareCores(print, variants) {
  await using stack = new AsyncDisposableStack();
  const clients = { direct: await open(stack, fixture('echo')) };
  for (const name of ['without', 'with']) {
    const { cli: file = cli, ...options } = variants[name];
    const core = await Core.start(file, { echo: entry(fixture('echo')) }, options);
    stack.defer(() => core.stop());
    clients[name] = await open(stack, [process.execPath, shim], core.home.env);
  }
  for (const call of Object.values(clients)) for (let round = 0; round < warmUpRounds; round++) await times(call);
  const jobs = Object.entries(clients).map(([name, call]) => [name, () => times(call)]);
  const taken = await interleave(Object.fromEntries(jobs), rounds);
  const rows = [0.1, 0.5, 0.9].map((share) => compare(taken, share));
  print(`echo of 2 kB, µs; ${rounds} interleaved rounds of ${callsPerRound} calls after ${warmUpRounds} to warm up\n`);
  print(formatTable(rows.map(({ share, ...row }) => ({ ...row, added: `${(share * 100).toFixed(1)} %` }))));
  return rows;
}

async function open(stack, command, env) {
  const client = new StdioClient(command, env);
  stack.defer(() => client.close());
  await client.initialize();
  return (count) => client.request('tools/call', { name: 'echo', arguments: { message: `${count} ${message}` } });
}

let count = 0;

/** One round: the time of each call, in µs. */
async function times(call) {
  const taken = [];
  for (let at = 0; at < callsPerRound; at++) {
    const begun = performance.now();
    const result = await call(count++);
    taken.push((performance.now() - begun) * 1000);
    if (result.isError) throw new Error(`A wrong answer came: ${JSON.stringify(result)}`);
  }
  return taken;
}

function compare(taken, share) {
  const values = Object.entries(taken).map(([name, all]) => [name, quantile(all.flat(), share)]);
  const { direct, without, with: kept } = Object.fromEntries(values);
  const shown = Object.fromEntries(values.map(([name, value]) => [name, Math.round(value)]));
  return {
    of: `p${share * 100}`,
    ...shown,
    'pipeline alone': Math.round(without - direct),
    share: (kept - without) / (without - direct),
  };
}
