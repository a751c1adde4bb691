/**
 * The spill inspector on answers of a gigabyte, as JSON and as text: time, frames, memory and what is asked of the
 * core.
 */
import { Core } from '../core.mjs';
import { jsonSteps, textSteps } from '../dashboard/inspector-steps.mjs';
import { WatchedBrowser } from '../dashboard/watched-page.mjs';
import { cli, entry, shim } from '../places.mjs';
import { processMemory } from '../process-memory.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable } from '../table.mjs';
import { join } from 'node:path';

/** `--bytes N` looks at smaller ones. */
const at = process.argv.indexOf('--bytes');
const bytes = at < 0 ? 1_000_000_000 : Number(process.argv[at + 1]);
/** No step of a look through may need more than this of the page, in MB, nor ask for more at once, in bytes. */
const mostPageMB = 60;
const maxResultLength = 270_000;
const settings = { mode: 'proxy', slowCallSeconds: 0, results: { threshold: 100_000, maxBytes: bytes * 6 } };

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const server = join(import.meta.dirname, '..', 'results', 'big-server.mjs');
  const core = await Core.start(
    cli,
    { big: { ...entry([process.execPath, server]), maxMessageMB: 4000 } },
    { settings },
  );
  stack.defer(() => core.stop());
  const app = new StdioClient([process.execPath, shim], core.home.env);
  stack.defer(() => app.close());
  await app.initialize();
  const browser = await WatchedBrowser.start();
  stack.defer(() => browser.close());
  const rows = [];
  for (const [kind, steps] of Object.entries({ json: jsonSteps, text: textSteps })) {
    const id = await keep(app, kind, print);
    const page = await browser.open(core.dashboard, `spills/${id}`);
    for (const [name, step] of Object.entries(steps)) {
      rows.push(await measureStep({ core, page, print }, `${kind}: ${name}`, () => step(page.page, bytes)));
    }
    await page.page.close();
  }
  print('');
  print(formatTable(rows.map(shownRow)));
  const misses = rows.filter((row) => row.heapMB > mostPageMB || row.longest > maxResultLength);
  print(
    misses.length === 0
      ? '\nmemory and answers bounded: met'
      : `\nMISSED: ${misses.map(({ name }) => name).join('; ')}`,
  );
  return { bytes, rows };
}

async function keep(app, kind, print) {
  const begun = performance.now();
  const result = await app.request('tools/call', { name: 'big_make', arguments: { kind, bytes } });
  print(`${kind} of ${bytes / 1e6} MB kept in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  const [, id] = /tooltray:\/\/spill\/([a-z0-9]+)/.exec(JSON.stringify(result)) ?? [];
  if (id === undefined) throw new Error(`It was not kept: ${JSON.stringify(result).slice(0, 500)}`);
  return id;
}

async function measureStep({ core, page, print }, name, step) {
  let peakMB = 0;
  const look = setInterval(() => {
    const { own = 0, children = 0 } = processMemory(core.pid) ?? {};
    peakMB = Math.max(peakMB, own + children);
  }, 100);
  const seen = await page.during(step).finally(() => clearInterval(look));
  const heapMB = await page.heapMB();
  print(`${name}: ${seen.seconds.toFixed(2)} s${seen.result === undefined ? '' : `, ${seen.result}`}`);
  return { name, ...seen, peakMB, heapMB, longest: seen.answers.longest };
}

function shownRow({ name, seconds, frame, longTasks, answers, peakMB, heapMB, longest }) {
  return {
    what: name,
    s: seconds.toFixed(2),
    'frame p99': frame.p99.toFixed(0),
    longest: frame.most.toFixed(0),
    'long tasks': longTasks.count,
    asked: answers.count,
    'longest kB': (longest / 1000).toFixed(0),
    'page MB': heapMB.toFixed(0),
    'core and its processes MB': peakMB,
  };
}
