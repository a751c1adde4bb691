/**
 * What it takes to hold a listing of 10,000 tools against what was accepted of it; next to it, reading the same listing
 * as JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PinFile } from '../../../src-main/core/trust/pins/pin-store.ts';
import { ServerPins } from '../../../src-main/core/trust/pins/server-pins.ts';
import { growCatalog } from '../search/grown-catalog.mjs';
import { quantile } from '../statistics.mjs';
import { formatTable, verdict } from '../table.mjs';

const count = 10_000;
const rounds = 20;
const mostMs = 50;

export async function measure(print) {
  const tools = growCatalog(count).map(({ id, description, inputSchema }) => ({ name: id, description, inputSchema }));
  if (tools.length === 0) {
    print('Not measured: there are no catalogs in ../shared/data.');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-pins-'));
  try {
    const text = JSON.stringify(tools);
    const changed = tools.map((tool, at) =>
      at % 100 === 0 ? { ...tool, description: `${tool.description} Now more.` } : tool,
    );
    const jobs = {
      'read as JSON': () => timed(() => JSON.parse(text)),
      'compared: the same': await judging(folder, 'same', text, text),
      'compared: one in a hundred says more': await judging(folder, 'changed', text, JSON.stringify(changed)),
    };
    const rows = [];
    for (const [what, job] of Object.entries(jobs)) {
      const taken = [];
      for (let round = 0; round < rounds; round++) taken.push(await job());
      rows.push({ what, 'ms, p50': quantile(taken, 0.5).toFixed(1), 'ms, most': Math.max(...taken).toFixed(1) });
    }
    print(`${count} tools, ${(text.length / 1e6).toFixed(1)} MB; ${rounds} rounds each, anew from the text\n`);
    print(formatTable(rows));
    print(`\ncompared, the same ÷ ${mostMs} ms: ${verdict(Number(rows[1]['ms, p50']) / mostMs, 1)}`);
    return { rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Accepts the one, then answers what it takes to judge the other, in ms. */
async function judging(folder, name, accepted, offered) {
  const rules = {
    onChange: () => 'hold',
    onPassed: () => undefined,
    onHeld: () => undefined,
    onDecided: () => undefined,
    onWarning: (_server, text) => {
      throw new Error(text);
    },
    now: () => Date.now(),
  };
  const config = { kind: 'stdio', name, command: 'npx', args: ['-y', name], env: {} };
  const pins = new ServerPins(config, new PinFile(folder, name), rules, () => undefined);
  await pins.evaluate(offerOf(accepted), undefined, false);
  return async () => {
    const offer = offerOf(offered);
    const begun = performance.now();
    await pins.evaluate(offer, undefined, false);
    return performance.now() - begun;
  };
}

function timed(work) {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function offerOf(text) {
  return { tools: JSON.parse(text), prompts: [], resources: [], resourceTemplates: [] };
}
