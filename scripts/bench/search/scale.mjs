/**
 * What the index takes with a thousand and ten thousand tools: time for a query, for an answer's tools and for a
 * change, and memory.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findTools } from '../../../src-main/core/modes/find-tools.ts';
import { median, quantile } from '../statistics.mjs';
import { querySets } from './data-sets.mjs';
import { growCatalog } from './grown-catalog.mjs';
import { catalogOf } from './answers.mjs';
import { shortened } from './joined-queries.mjs';
import { indexOf, rankers } from './rankers.mjs';

const sizes = [1_000, 10_000];
const queriesAsked = 500;
const changesMade = 40;
/** Whoever is built first finds nothing compiled yet. */
const builds = 5;

/** One row per size. */
export function measureScale() {
  const queries = sampleQueries();
  return sizes.map((size) => measureSize(size, queries));
}

function measureSize(size, queries) {
  const tools = growCatalog(size);
  const before = heldBytes();
  const index = builtIndex(tools, queries[0]);
  const held = heldBytes() - before;
  const lists = queries.map((query, at) => [query, queries[(at + 17) % queries.length]].map(shortened).join(', '));
  const [plain, listed] = [queries, lists].map((asked) => timesOf(asked, (query) => index.search(query)));
  const view = { catalog: catalogOf(tools), index };
  // It takes no id twice, as some of these catalogs have them.
  const numbered = tools.map((tool, id) => ({ ...tool, id }));
  const shown = timesOf(queries, (query) => findTools([query], view));
  const changes = changeServers(index, tools, queries);
  const built = buildTimes(tools, numbered, queries[0]);
  return {
    tools: index.size,
    'query p50 ms': quantile(plain, 0.5).toFixed(2),
    'query p99 ms': quantile(plain, 0.99).toFixed(2),
    'list p50 ms': quantile(listed, 0.5).toFixed(2),
    'shown p50 ms': quantile(shown, 0.5).toFixed(2),
    'shown p99 ms': quantile(shown, 0.99).toFixed(2),
    'index MB': Math.round(held / 1024 / 1024),
    'built ms': Math.round(built.ours),
    'minisearch built ms': Math.round(built.minisearch),
    'change p50 ms': quantile(changes, 0.5).toFixed(1),
    'change p99 ms': quantile(changes, 0.99).toFixed(1),
  };
}

function builtIndex(tools, query) {
  const index = indexOf(tools);
  index.search(query);
  return index;
}

/** Medians of some in turns. */
function buildTimes(tools, numbered, query) {
  const [ours, minisearch] = [[], []];
  for (let turn = 0; turn < builds; turn++) {
    ours.push(timeOf(() => builtIndex(tools, query)));
    minisearch.push(timeOf(() => rankers['minisearch defaults'](numbered)));
  }
  return { ours: median(ours), minisearch: median(minisearch) };
}

/** One server's listing changes and the next query comes: how long both hold everybody else up. */
function changeServers(index, tools, queries) {
  const servers = [...Map.groupBy(tools, ({ server }) => server)];
  return Array.from({ length: changesMade }, (_, at) => {
    const [server, own] = servers[(at * 7919) % servers.length];
    const edited = own.map((tool) => ({ ...tool, description: `${tool.description ?? ''} Changed ${at}.` }));
    return timeOf(() => {
      index.replaceServer(server, edited);
      index.search(queries[at]);
    });
  });
}

/** Queries of all sets in turn, so that short and long ones are mixed. */
function sampleQueries() {
  const all = querySets('test').flatMap(({ queries }) =>
    queries.map(({ query }, at) => ({ query, at: at / queries.length })),
  );
  const mixed = all.toSorted((a, b) => a.at - b.at).map(({ query }) => query);
  const step = Math.max(1, mixed.length / queriesAsked);
  return Array.from({ length: Math.min(queriesAsked, mixed.length) }, (_, at) => mixed[Math.floor(at * step)]);
}

/** After a hundred that are not measured. */
function timesOf(queries, ask) {
  for (const query of queries.slice(0, 100)) ask(query);
  return queries.map((query) => timeOf(() => ask(query)));
}

function timeOf(work) {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** Bytes that are still in use after the garbage is gone. */
function heldBytes() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // Buffers that the first round finds dead are freed by the second.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
