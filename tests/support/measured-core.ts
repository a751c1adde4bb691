/**
 * A core in a separate process that reports the longest turns of its event loop, by its thread's CPU time. Takes its
 * home and its config as JSON; prints its address. Over IPC: `start` starts measuring, `stop` returns the longest turn
 * and the time of JSON.parse for a megabyte, both in ms; `memory` returns the bytes of the core's thread, inside and
 * outside its heap (other threads and malloc's caches make up the rest of the process).
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

/** Many short texts, the slowest to parse. */
const megabyte = JSON.stringify(Array.from({ length: 125_000 }, (_, at) => `i${at}`));

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
