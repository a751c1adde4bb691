/**
 * Which functions of the sources run while something is done: V8's own count, in this process and not in its workers.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { root } from '../places.mjs';

const sources = `${root}/src-main/`;

export class EntryCounter {
  #session = new Session();

  static async start() {
    const counter = new EntryCounter();
    counter.#session.connect();
    await counter.#session.post('Profiler.enable');
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return counter;
  }

  stop() {
    this.#session.disconnect();
  }

  /** `{files, functions, entries, byFile}` of `run`; whatever was loaded before counts only where it is entered. */
  async during(run) {
    await this.#take();
    await run();
    const byFile = new Map();
    for (const { url, functions } of await this.#take()) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!path.startsWith(sources)) continue;
      const entered = functions.filter((one) => one.ranges[0].count > 0 && !isFile(one));
      if (entered.length === 0) continue;
      const entries = entered.reduce((sum, { ranges }) => sum + ranges[0].count, 0);
      byFile.set(path.slice(sources.length), { functions: entered.length, entries });
    }
    const of = (key) => [...byFile.values()].reduce((sum, one) => sum + one[key], 0);
    return { files: byFile.size, functions: of('functions'), entries: of('entries'), byFile };
  }

  /** Counts since the last time. */
  async #take() {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result;
  }
}

/** The file itself, as it is loaded: it is told only where that was since the last time. */
function isFile({ functionName, ranges }) {
  return functionName === '' && ranges[0].startOffset === 0;
}

/** Lines of these files of the sources. */
export function linesOf(files) {
  return [...files].reduce((sum, file) => sum + readFileSync(`${sources}${file}`, 'utf8').split('\n').length - 1, 0);
}
