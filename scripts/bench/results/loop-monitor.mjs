/**
 * Loaded into the core before its own code: notes twenty times a second how late its event loop was and what memory it
 * has.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.TOOLTRAY_BENCH_MONITOR;
const everyMs = 50;

if (isMainThread && file !== undefined) {
  // The core's servers are not what is measured.
  delete process.env.TOOLTRAY_BENCH_MONITOR;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  setInterval(() => {
    const { rss, arrayBuffers } = process.memoryUsage();
    const sample = { at: Date.now(), lateMs: delay.max / 1e6, rss, arrayBuffers };
    delay.reset();
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
  }, everyMs).unref();
}
