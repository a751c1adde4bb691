/**
 * What a box costs a server: how soon it answers and what memory its processes take, next to the same server without
 * one, in turns.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  wrapInBubblewrap,
  sandboxUnavailableReason,
} from '../../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { eachLine } from '../lines.mjs';
import { fixture } from '../places.mjs';
import { interleave, median } from '../statistics.mjs';
import { formatTable, verdict } from '../table.mjs';

const rounds = 20;
const most = { ms: 150, megabytes: 6 };

export async function measure(print) {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/root' };
  const problem = await sandboxUnavailableReason(env);
  if (problem !== undefined) {
    print(`Not measured: ${problem}`);
    return { problem };
  }
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-boxes-'));
  try {
    const [command, ...args] = fixture('echo-sdk');
    const plain = { command, args, env, cwd: undefined };
    const isolate = { kind: 'sandbox', read: [], write: [], network: false, extraArgs: [] };
    const box = { home: join(folder, 'home'), hidden: { folders: [], files: [] }, own: [] };
    const boxed = () => wrapInBubblewrap(plain, {}, isolate, box);
    const found = await interleave({ plain: () => once(() => plain), sandbox: () => once(boxed) }, rounds);
    const rows = Object.entries(found).map(([name, all]) => ({
      '': name,
      'ms to initialize, p50': Math.round(median(all.map(({ ms }) => ms))),
      'MB (PSS), p50': Math.round(median(all.map(({ megabytes }) => megabytes)) * 10) / 10,
      processes: median(all.map(({ processes }) => processes)),
    }));
    print(formatTable(rows));
    const [one, other] = rows;
    const more = {
      ms: other['ms to initialize, p50'] - one['ms to initialize, p50'],
      megabytes: Math.round((other['MB (PSS), p50'] - one['MB (PSS), p50']) * 10) / 10,
    };
    print(
      `\nms more in the sandbox: ${verdict(more.ms, most.ms)}; MB more: ${verdict(more.megabytes, most.megabytes)}`,
    );
    return { rows, more };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts it, shakes hands and ends it. */
async function once(launch) {
  const started = performance.now();
  const { command, args, env, cwd } = await launch();
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const answered = new Promise((resolve, reject) => {
    eachLine(child.stdout, resolve);
    child.once('error', reject);
    void ended.then(() => reject(new Error('The server ended.')));
  });
  const clientInfo = { name: 'tooltray-bench', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await answered;
  const ms = performance.now() - started;
  const memory = proportional(child.pid);
  child.stdin.end();
  await ended;
  return { ms, ...memory };
}

/** What a process and its offspring take of the memory, shared pages divided among those that share them. */
function proportional(pid) {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const family = [pid];
  for (const one of family) for (const [child, parent] of parents) if (parent === one) family.push(child);
  const kilobytes = family.reduce((sum, one) => sum + pssOf(one), 0);
  return { megabytes: kilobytes / 1024, processes: family.length };
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function pssOf(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
