/** Answers that do not fit: how long it takes to keep and to read them, what memory, and who has to wait meanwhile. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixture } from '../places.mjs';
import { Echoes } from '../results/echoes.mjs';
import { writeFileOf } from '../results/made-up.mjs';
import { measureRow, shownRow } from '../results/result-rows.mjs';
import { WatchedCore } from '../results/watched-core.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable, verdict } from '../table.mjs';

const megabyte = 1_000_000;
/** How many in a row, so that there are echoes enough next to the short ones. */
const rounds = { 1: 20, 10: 6, 100: 1, 200: 1, 400: 1 };
/** Threads that have nothing to do end after twenty seconds. */
const settleMs = 25_000;
const mostEchoRatio = 3;

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-results-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const core = await WatchedCore.start([folder]);
  stack.defer(() => core.stop());
  const bench = { print, ...(await openBench(core, stack)) };
  const keeping = await measureKeeping(bench);
  const reading = await measureReading(bench, folder);
  const memory = await measureReturn(bench);
  const rows = [...keeping, ...reading];
  print(`an answer kept or read while another session echoes; each against its own idle time just before\n`);
  print(formatTable(rows.map(shownRow)));
  for (const { name, idle, busy } of rows.filter((row) => row.name.includes('of 200 MB'))) {
    const past = (busy.echo.pastP99 / idle.echo.pastP99).toFixed(2);
    print(`\n${name}: echo p99 ÷ idle ${verdict(busy.echo.p99 / idle.echo.p99, mostEchoRatio)}, past the core ${past}`);
  }
  const { before, after } = memory;
  const [fresh] = rows.map(({ idle }) => idle.lastMB);
  print(`core's memory when fresh: ${fresh.toFixed(0)} MB; after all of this: ${before.toFixed(0)} MB`);
  print(`${settleMs / 1000} s after 200 MB more: ${after.toFixed(0)} MB`);
  return { rows, memory };
}

async function openBench(core, stack) {
  const [reader, other, alone] = [await core.open(), await core.open(), new StdioClient(fixture('echo'))];
  for (const client of [reader, other, alone]) stack.defer(() => client.close());
  await alone.initialize();
  const echo = (client, name) => () => client.request('tools/call', { name, arguments: { message: 'hello' } });
  const [through, past] = [echo(other, 'echo_echo'), echo(alone, 'echo')];
  const echoes = new Echoes(through, past);
  for (let warm = 0; warm < 3000; warm++) await Promise.all([through(), past()]);
  const call = async (name, args) => {
    const result = await reader.request('tools/call', { name, arguments: args });
    if (result.isError === true) throw new Error(result.content[0].text);
    return result;
  };
  // The thread and the code of a first answer are not there yet.
  await call('big_make', { kind: 'json', bytes: megabyte });
  return { core, echoes, call };
}

async function measureKeeping(bench) {
  const rows = [];
  for (const kind of ['json', 'text', 'image'])
    for (const MB of [1, 10, 100, 200, 400]) {
      const times = rounds[MB];
      const args = { kind, bytes: MB * megabyte };
      const name = `${kind} of ${MB} MB`;
      const all = async () => {
        for (let round = 0; round < times; round++) expectKept(await bench.call('big_make', args));
      };
      rows.push(await measureRow(bench, name, all, times));
    }
  return rows;
}

async function measureReading(bench, folder) {
  const [text, json, csv] = ['long.txt', 'long.json', 'long.csv'].map((name) => join(folder, name));
  await writeFileOf(text, 'text', 1000 * megabyte, 'the needle');
  await writeFileOf(json, 'json', 50 * megabyte, { id: -1, name: 'the needle' });
  await writeFileOf(csv, 'csv', 200 * megabyte, '-1,the needle,,0,false');
  const read = (args, says) => async () => {
    const result = await bench.call('read_result', args);
    if (!result.content[0].text.includes(says)) throw new Error(`${JSON.stringify(args)}: ${result.content[0].text}`);
  };
  const grep = { resultFile: text, op: 'grep', pattern: 'the needle' };
  const slice = { resultFile: text, op: 'slice', fromLine: 10_000_000, toLine: 10_000_010 };
  const query = { resultFile: json, op: 'query', query: '$[-1].name' };
  const where = `SELECT count(*) FROM rows WHERE name = 'the needle'`;
  const sql = (resultFile) => read({ resultFile, op: 'sql', query: where }, '\n1\n(1 row)');
  const start = performance.now();
  JSON.parse(readFileSync(json, 'utf8'));
  bench.print(`JSON.parse of the same 50 MB: ${((performance.now() - start) / 1000).toFixed(2)} s`);
  return [
    await measureRow(bench, 'grep in 1 GB', read(grep, 'needle'), 1),
    await measureRow(bench, 'slice of 1 GB, the first', read(slice, 'fox'), 1),
    await measureRow(bench, 'slice of 1 GB, once more', read(slice, 'fox'), 1),
    await measureRow(bench, 'query in 50 MB of JSON', read(query, 'needle'), 1),
    await measureRow(bench, 'sql in 50 MB of JSON', sql(json), 1),
    await measureRow(bench, 'sql in 200 MB of CSV', sql(csv), 1),
  ];
}

/** Threads have ended and their memory is given back, before and after. */
async function measureReturn({ core, call }) {
  const memory = async () => {
    await sleep(settleMs);
    return core.seen(Date.now() - 1000, Date.now());
  };
  const before = await memory();
  expectKept(await call('big_make', { kind: 'json', bytes: 200 * megabyte }));
  const after = await memory();
  return { before: before.lastMB, after: after.lastMB, buffers: after.lastBuffersMB };
}

function expectKept(result) {
  if (result._meta?.['tooltray/spill'] === undefined) throw new Error('An answer was not kept.');
}
