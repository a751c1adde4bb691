/**
 * What a call costs at a replica, next to a bare hop and one desktop's core; and what it costs more where it comes to
 * another's session.
 */
import { Core } from '../core.mjs';
import { callsPerRound, callTimes, costOf, inFlight, rowOf, secondsAtFull, throughput } from '../http-cost.mjs';
import { cli, entry, fixture } from '../places.mjs';
import { RawHttp } from '../raw-http.mjs';
import { startHop } from '../start-hop.mjs';
import { interleave, median } from '../statistics.mjs';
import { formatTable } from '../table.mjs';
import { warmUp } from '../warm-up.mjs';
import { StartedTeam } from './started-team.mjs';

const rounds = 15;
/** Of a call that another replica passes on, in ms. */
const mostAdded = 0.3;

export async function measureCalls(print) {
  await using stack = new AsyncDisposableStack();
  const { passedOn, ...paths } = await openPaths(stack);
  const all = { ...paths, ...passedOn };
  await warmUp(Object.values(all), callTimes);
  const costs = await interleave(jobsOf(all), rounds);
  const rows = [];
  for (const [name, path] of Object.entries(paths)) rows.push(rowOf(path, costs[name], await throughput(path)));
  rows.forEach((row, at) => (row.path = Object.keys(paths)[at]));
  print(
    `echo over HTTP; ${rounds} interleaved rounds of ${callsPerRound} calls; ${inFlight} in flight for ${secondsAtFull} s\n`,
  );
  print(formatTable(rows));
  const cpuOf = (name) => rows.find(({ path }) => path === name)['CPU ms'];
  print('');
  for (const era of ['legacy', 'modern']) {
    const ours = cpuOf(`replica, ${era} era`);
    const [bare, desktop] = [cpuOf('bare hop + pipe'), cpuOf(`desktop, ${era} era`)];
    print(
      `replica, ${era} era: processor time ÷ bare hop ${(ours / bare).toFixed(2)}, ÷ desktop's core ${(ours / desktop).toFixed(2)}`,
    );
  }
  const timeOf = (name) => median(costs[name].flatMap(({ times }) => [...times]));
  const added = timeOf('by another replica') - timeOf('by its own replica');
  const word = added <= mostAdded ? 'met' : 'MISSED';
  print(`a session's call by another replica adds ${added.toFixed(3)} ms at p50 (at most ${mostAdded}: ${word})`);
  return { rows, added };
}

function jobsOf(paths) {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => costOf(path)]));
}

/** `passedOn`: one session, asked where it lives and elsewhere. */
async function openPaths(stack) {
  const team = await StartedTeam.start();
  stack.defer(() => team.stop());
  const [one, other] = [await team.replica(), await team.replica()];
  const core = await Core.start(cli, { echo: entry(fixture('echo')) });
  stack.defer(() => core.stop());
  const desktop = { pid: core.pid, url: `${core.url}/server/echo` };
  const path = async ({ pid, url }, era, token) => {
    const client = await RawHttp.connect(url, era, { token });
    stack.defer(() => client.close());
    return { pid, url, era, token, client };
  };
  const own = await path(one, 'legacy', team.token);
  const elsewhere = { ...own, client: await own.client.at(other.url) };
  stack.defer(() => elsewhere.client.close());
  return {
    'bare hop + pipe': await path(await startHop(stack), 'legacy'),
    'desktop, legacy era': await path(desktop, 'legacy'),
    'desktop, modern era': await path(desktop, 'modern'),
    'replica, legacy era': await path(one, 'legacy', team.token),
    'replica, modern era': await path(one, 'modern', team.token),
    passedOn: { 'by its own replica': own, 'by another replica': elsewhere },
  };
}
