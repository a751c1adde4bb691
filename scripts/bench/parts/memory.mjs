/** How much memory the core takes with few and many servers, when nothing happens. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { cli, entry, fixture } from '../places.mjs';
import { processMemory } from '../process-memory.mjs';
import { formatTable } from '../table.mjs';

const counts = [1, 10, 30];
/** What was needed for the start is given back by then. */
const settleMs = 10_000;

export async function measure(print) {
  const node = await bareNode();
  if (node === undefined) {
    print('Not measured: it needs ps.');
    return undefined;
  }
  const rows = [{ servers: 'node that does nothing', core: node, 'all servers': '', 'a server': '' }];
  for (const count of counts) rows.push(await coreWith(count));
  print(`resident MB, ${settleMs / 1000} s after all servers (echo, node:* only) were ready\n`);
  print(formatTable(rows));
  return rows;
}

async function coreWith(count) {
  const names = Array.from({ length: count }, (_, at) => `echo${at + 1}`);
  const core = await Core.start(cli, Object.fromEntries(names.map((name) => [name, entry(fixture('echo'))])));
  try {
    await sleep(settleMs);
    const { own, children } = processMemory(core.pid);
    return { servers: count, core: own, 'all servers': children, 'a server': Math.round(children / count) };
  } finally {
    await core.stop();
  }
}

async function bareNode() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)'], { stdio: 'ignore' });
  try {
    await sleep(1000);
    return processMemory(child.pid)?.own;
  } finally {
    child.kill();
    await once(child, 'close');
  }
}
