/** The catalogs and query sets that rankers are judged on. They are data of others and stay outside the project. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../places.mjs';

const dataDir = join(root, '..', 'shared', 'data');

const queryFiles = [
  ['livemcpbench', 'steps'],
  ['livemcpbench', 'tasks'],
  ['livemcpbench', 'agent'],
  ['livemcpbench', 'agent_judged'],
  ['azure2025', 'steps'],
  ['bfcl', 'live'],
  ['stabletoolbench', 'tasks'],
  ['metatool', 'single'],
];

/** Catalogs without queries, for size. */
export const growthSources = ['toucan', 'dockerregistry', 'github', 'stabletoolbench', 'bfcl'];

/**
 * `[{name, source, queries}]` with the queries of one half, `dev` or `test`; each query is
 * `{query, wanted}`, where `wanted` maps a tool's id to what it counts as: interchangeable tools count once.
 */
export function querySets(half) {
  return queryFiles.flatMap(([source, file]) => {
    const path = join(dataDir, source, `${file}.jsonl`);
    if (!existsSync(path)) return [];
    const queries = linesOf(path).filter(({ id }) => halfOf(id) === half);
    return [{ name: `${source} ${file}`, source, queries: queries.map(toQuery) }];
  });
}

/** The tools of a source, each with the id that our index knows it by; none where the data is absent. */
export function readCatalog(source) {
  const path = join(dataDir, source, 'catalog.json');
  if (!existsSync(path)) return [];
  return JSON.parse(readFileSync(path, 'utf8')).map((tool) => ({ ...tool, id: idOf(tool.server, tool.name) }));
}

/**
 * Whole tasks of a source: `{query, steps, wanted}`, with the words of those who solved it a step each, and sets of ids
 * of tools that do the same, one of which is needed; none where the data is absent.
 */
export function readTasks(source) {
  const [tasks, steps] = ['tasks', 'steps'].map((file) => linesOf(join(dataDir, source, `${file}.jsonl`)));
  return tasks.map(({ id, query, relevant }) => {
    const groups = Map.groupBy(relevant, ({ server, tool, group }) => group ?? idOf(server, tool));
    return {
      query,
      steps: steps.filter(({ task }) => task === id).map((step) => step.query),
      wanted: [...groups.values()].map((group) => new Set(group.map(({ server, tool }) => idOf(server, tool)))),
    };
  });
}

function linesOf(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function idOf(server, tool) {
  return `${server}:${tool}`;
}

/** The agreed split: what is tuned is tuned on dev, what is reported is reported on test. */
function halfOf(id) {
  return createHash('md5').update(id).digest()[0] % 2 === 0 ? 'dev' : 'test';
}

function toQuery({ query, relevant }) {
  const wanted = new Map();
  for (const { server, tool, group } of relevant) {
    const id = idOf(server, tool);
    wanted.set(id, group === undefined ? id : `group ${group}`);
  }
  return { query, wanted };
}
