/** What an answer of search_tools costs the model, in tokens (o200k). */
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { buildCatalog } from '../../../src-main/core/catalog/catalog.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { ShownItems } from '../../../src-main/core/modes/mode.ts';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';
import { quantile } from '../statistics.mjs';
import { querySets, readCatalog } from './data-sets.mjs';
import { indexOf } from './rankers.mjs';

const ways = {
  'as it comes': {},
  'all schemas': { detail: 'full' },
  'five hits': { limit: 5 },
};

/** One row per source and way of asking, each query in a session of its own; and all of a source in one session. */
export async function measureAnswers(half) {
  const rows = [];
  for (const [source, sets] of Map.groupBy(querySets(half), (set) => set.source)) {
    const queries = sets.flatMap((set) => set.queries.map(({ query }) => query));
    const parts = partsOf(readCatalog(source));
    for (const [way, input] of Object.entries(ways)) {
      const fresh = () => ({ ...parts, memory: new ShownItems() });
      rows.push({ source, asked: way, ...spread(await costs(queries, input, fresh)) });
    }
    const session = { ...parts, memory: new ShownItems() };
    rows.push({ source, asked: 'one session', ...spread(await costs(queries, {}, () => session)) });
  }
  return rows;
}

async function costs(queries, input, contextFor) {
  const tokens = [];
  for (const query of queries) {
    const { content } = await allModes.helpers.get('search_tools').run({ query, ...input }, contextFor());
    tokens.push(countTokens(content[0]?.text ?? ''));
  }
  return tokens;
}

/** Returns a function that makes the context of a new session with these tools, for helper tools that only search. */
export function contextOf(tools) {
  const parts = partsOf(tools);
  return () => ({ ...parts, memory: new ShownItems(), sandbox: { prewarm: () => undefined } });
}

/** A catalog and its index, as a session sees them. */
function partsOf(tools) {
  const catalog = catalogOf(tools);
  const index = indexOf(catalog.tools.map(({ definition, ...entry }) => ({ ...definition, ...entry })));
  const nobody = () => undefined;
  return { catalog, index, settled: nobody, finder: { missingServers: nobody }, descriptions: { find: nobody } };
}

function spread(tokens) {
  return { median: quantile(tokens, 0.5), 'nine in ten': quantile(tokens, 0.9), largest: Math.max(...tokens) };
}

/** The tools as the core lists them. */
export function catalogOf(tools) {
  const servers = [...Map.groupBy(tools, ({ server }) => server)].map(([name, own]) => ({
    name,
    listing: { ...emptyListing, tools: own.map(({ server: _, id: __, ...definition }) => definition) },
  }));
  return buildCatalog(servers, new Set(allModes.helpers.keys()));
}
