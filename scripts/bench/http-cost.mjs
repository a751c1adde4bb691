/**
 * What calls over HTTP cost: the time of each, processor time of who answers them, and how many there can be a second.
 */
import { settledCpu } from './process-cpu.mjs';
import { RawHttp } from './raw-http.mjs';
import { quantile } from './statistics.mjs';

export const callsPerRound = 200;
export const inFlight = 32;
export const secondsAtFull = 5;

/** The time of each call, in ms. */
export async function callTimes({ client }, count) {
  const taken = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const message = `hello ${at}`;
    const begun = performance.now();
    const result = await client.callTool('echo', { message });
    taken[at] = performance.now() - begun;
    if (result.content[0].text !== message) throw new Error(`A wrong answer came: ${JSON.stringify(result)}`);
  }
  return taken;
}

/** One round, with the processor time that it took, then and afterwards. `path`: `{pid, url, era, client, token}`. */
export async function costOf(path) {
  let times;
  const cpu = await settledCpuOf(path.pid, async () => (times = await callTimes(path, callsPerRound)));
  return { times, cpu };
}

/** Processor time of each of so many calls, in ms. */
export async function cpuOf(path, count) {
  return (await settledCpuOf(path.pid, () => callTimes(path, count))) / count;
}

async function settledCpuOf(pid, work) {
  const before = await settledCpu(pid);
  await work();
  return (await settledCpu(pid)) - before;
}

/** `values`: of its rounds; `perSecond`: undefined if that is not measured. */
export function rowOf(path, values, perSecond) {
  const times = values.flatMap((value) => [...value.times]);
  const cpu = values.reduce((sum, value) => sum + value.cpu, 0) / times.length;
  const round = (ms) => Number(ms.toFixed(3));
  const row = {
    path,
    'CPU ms': round(cpu),
    'p50 ms': round(quantile(times, 0.5)),
    'p99 ms': round(quantile(times, 0.99)),
  };
  return { ...row, 'calls/s': perSecond?.perSecond, 'CPU ms at full': perSecond && round(perSecond.cpu) };
}

/** With so many clients at once, each on a connection of its own. */
export async function throughput({ pid, url, era, token }) {
  const clients = await Promise.all(Array.from({ length: inFlight }, () => RawHttp.connect(url, era, { token })));
  const before = await settledCpu(pid);
  const until = performance.now() + secondsAtFull * 1000;
  let count = 0;
  const work = async (client) => {
    while (performance.now() < until) {
      await client.callTool('echo', { message: 'hello' });
      count++;
    }
  };
  await Promise.all(clients.map(work));
  const cpu = ((await settledCpu(pid)) - before) / count;
  for (const client of clients) client.close();
  return { perSecond: Math.round(count / secondsAtFull), cpu };
}
