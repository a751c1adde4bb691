/** Sessions and streams over HTTP that are held at once, and what memory load and all of these leave behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { throughput } from '../http-cost.mjs';
import { cli, entry, fixture } from '../places.mjs';
import { processMemory } from '../process-memory.mjs';
import { RawHttp } from '../raw-http.mjs';
import { formatTable, verdict } from '../table.mjs';

const sessions = 2_000;
const streams = 1_000;
const settleMs = 60_000;

/** What the core takes with nothing open, with everything open, and a minute after all of it went. */
export async function measure(print) {
  if (processMemory(process.pid) === undefined) {
    print('Not measured: it needs ps.');
    return undefined;
  }
  const core = await Core.start(cli, { echo: entry(fixture('echo')) });
  const url = `${core.url}/server/echo`;
  const resident = () => processMemory(core.pid)?.own;
  const rows = [];
  const note = (when) => rows.push({ when, 'resident MB': resident() });
  try {
    await sleep(10_000);
    note('idle');
    await throughput({ pid: core.pid, url, era: 'legacy' });
    await throughput({ pid: core.pid, url, era: 'modern' });
    note('after load');
    await sleep(settleMs);
    note('a minute after load');
    const open = await openAll(sessions, 200, () => RawHttp.connect(url, 'legacy'));
    const [first] = open;
    await first.callTool('echo', { message: 'the oldest is still there' });
    note(`${sessions} sessions`);
    await Promise.all(open.map((client) => client.end()));
    for (const client of open) client.close();
    const listening = await openAll(streams, 200, async () => {
      const client = await RawHttp.connect(url, 'modern');
      await client.listen();
      return client;
    });
    note(`${streams} streams`);
    for (const client of listening) client.close();
    await sleep(settleMs);
    note('a minute after all of them');
  } finally {
    await core.stop();
  }
  print(formatTable(rows));
  const idle = rows[0]['resident MB'];
  print('');
  for (const at of [2, 5]) print(`${rows[at].when} ÷ idle: ${verdict(rows[at]['resident MB'] / idle, 1.5)}`);
  return rows;
}

/** So many, a few at a time. */
async function openAll(count, atOnce, open) {
  const all = [];
  while (all.length < count) {
    const some = Math.min(atOnce, count - all.length);
    all.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return all;
}
