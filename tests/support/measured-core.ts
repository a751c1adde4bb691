/**
 * A core in a process of its own, which reports how long single turns of its event loop took, by the CPU time of its thread. Takes its
 * home and its config as JSON; prints where it is reached. Over IPC: `start` begins to measure, `stop` answers with the longest turn and
 * with what JSON.parse takes for a megabyte, both in ms; `memory` answers with the bytes that
 * the core's thread has from the system, in its heap and outside of it (other threads and what malloc keeps make the process's).
 */
import { startCore, type TestConfig } from './start-core.ts';

const [, , home = '', config = '{}'] = process.argv;
const { host } = await startCore(JSON.parse(config) as TestConfig, { home });

let timer: NodeJS.Immediate | undefined;
let before = process.threadCpuUsage();
let longest = 0;

function turn(): void {
  const { user, system } = process.threadCpuUsage(before);
  longest = Math.max(longest, (user + system) / 1000);
  before = process.threadCpuUsage();
  timer = setImmediate(turn);
}

const megabyte = JSON.stringify(Array.from({ length: 33_000 }, (_, at) => ({ id: `number ${at}`, n: at })));

function parseMs(): number {
  const times = Array.from({ length: 3 }, () => {
    const start = process.threadCpuUsage();
    JSON.parse(megabyte);
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.max(...times);
}

process.on('message', (message) => {
  clearImmediate(timer);
  if (message === 'memory') {
    const { heapTotal, external } = process.memoryUsage();
    return void process.send?.(heapTotal + external);
  }
  if (message === 'stop') return void process.send?.({ maxMs: longest, parseMs: parseMs() });
  longest = 0;
  before = process.threadCpuUsage();
  timer = setImmediate(turn);
});
process.once('disconnect', () => process.exit());
process.stdout.write(`${JSON.stringify({ socketPath: host.paths.socketPath, token: host.core.clients.token })}\n`);
