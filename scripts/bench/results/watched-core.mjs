/** A core that is watched from inside (loop-monitor.mjs), with a server of long answers and an echo next to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Core } from '../core.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { StdioClient } from '../stdio-client.mjs';

const here = import.meta.dirname;
const megabyte = 1_000_000;

export class WatchedCore {
  #core;
  #file;

  /** `folders`: whose files may be read in. */
  static async start(folders) {
    const big = entry([process.execPath, join(here, 'big-server.mjs')]);
    const servers = { big, echo: entry(fixture('echo')) };
    // A limit that the user sets means pictures, too.
    const results = { folders, threshold: 100_000, maxBytes: 2 ** 31 };
    const settings = { mode: 'proxy', slowCallSeconds: 0, results };
    const monitor = pathToFileURL(join(here, 'loop-monitor.mjs')).href;
    const watched = new WatchedCore();
    watched.#core = await Core.start(cli, servers, {
      settings,
      nodeArgs: ['--import', monitor],
      env: ({ folder }) => ({ TOOLTRAY_BENCH_MONITOR: (watched.#file = join(folder, 'monitor.jsonl')) }),
    });
    return watched;
  }

  /** A session of its own; answers calls. */
  async open() {
    const client = new StdioClient([process.execPath, shim], this.#core.home.env);
    await client.initialize();
    return client;
  }

  /** What was seen of the core between two moments (Date.now()): in ms and MB. */
  seen(from, to) {
    const samples = readFileSync(this.#file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const within = samples.filter(({ at }) => at >= from && at <= to + 100);
    const most = (key) => Math.max(0, ...within.map((sample) => sample[key]));
    return {
      lateMs: within.map(({ lateMs }) => lateMs),
      peakMB: most('rss') / megabyte,
      lastMB: (within.at(-1)?.rss ?? 0) / megabyte,
      lastBuffersMB: (within.at(-1)?.arrayBuffers ?? 0) / megabyte,
    };
  }

  stop() {
    return this.#core.stop();
  }
}
