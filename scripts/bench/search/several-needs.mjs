/**
 * Searches for four to seven needs at once, as models write them: what the answer of `search` costs, and whether it
 * names a tool that will do for each need. The catalog is that of thirteen real servers, recorded in the project; the
 * tasks of LiveMCPBench are measured as well where the data is present.
 */
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { findTools, parseNeeds } from '../../../src-main/core/modes/find-tools.ts';
import { searchAnswer } from '../../../src-main/core/modes/search-result-text.ts';
import { recordedListings } from '../../../tests/fixtures/recorded-listings.ts';
import { quantile } from '../statistics.mjs';
import { contextOf } from './answers.mjs';
import { readCatalog, readTasks } from './data-sets.mjs';

/** The goal for the median answer, in o200k tokens. */
export const maxMedianTokens = 350;

/** Needs in the words of the queries that models wrote in trials, and the tools that will do, by name. */
const needs = Object.entries({
  'create entities and relations in memory': 'create_entities create_relations',
  'read the graph of memory': 'read_graph open_nodes search_nodes',
  'remember a fact about a person, add observation': 'add_observations create_entities',
  'git log of a file, commit history': 'git_log',
  'who changed a line, blame': 'git_blame',
  'list branches': 'git_branch',
  'show uncommitted changes, diff': 'git_diff git_status',
  'commit staged files': 'git_commit',
  'add two numbers, sum': 'get-sum',
  'environment variables of the server': 'get-env',
  'read a text file': 'read_text_file read_file',
  'write a file': 'write_file',
  'list a directory, read multiple files': 'list_directory read_multiple_files',
  'rename a file, move': 'move_file',
  'size and date of a file, metadata': 'get_file_info',
  'find files by name, glob': 'search_files',
  'take a screenshot of a page': 'browser_take_screenshot take_screenshot',
  'fill a form on a web page': 'browser_fill_form fill_form',
  'open a URL in the browser, navigate': 'browser_navigate navigate_page new_page',
  'network requests of a page': 'browser_network_requests list_network_requests',
  'console errors of a page': 'browser_console_messages list_console_messages',
  'record a performance trace': 'performance_start_trace',
  'audit accessibility with lighthouse': 'lighthouse_audit',
  'create a page in notion': 'API-post-page',
  'search pages in notion by title': 'API-post-search',
  'comment on a notion page': 'API-create-a-comment',
  'query rows of a notion database': 'API-query-data-source',
  'query documents, find in a collection': 'find aggregate',
  'count documents in mongodb': 'count aggregate',
  'list collections of a database': 'list-collections',
  'create an index on a collection': 'create-index',
  'insert documents': 'insert-many',
  'schema of a collection': 'collection-schema',
  'scrape a website to markdown': 'firecrawl_scrape',
  'crawl all pages of a site': 'firecrawl_crawl',
  'search the web': 'firecrawl_search',
  'find research papers': 'firecrawl_research_search_papers',
  'list issues in sentry, find errors': 'search_issues search_issue_events',
  'resolve an issue, assign it': 'update_issue',
  'releases of a project': 'find_releases',
  'projects of an organization in sentry': 'find_projects',
  'documentation of a library': 'query-docs resolve-library-id',
  'lint files, check code': 'lint-files',
  'think step by step': 'sequentialthinking',
});

/** Needs far apart in the table, so that a query is about several servers. */
const stride = 11;

/** One row for each catalog. `met`: whether the median is within the goal, and the answer names every hit. */
export async function measureSeveral() {
  const rows = [await measureSet('13 servers', recordedCatalog(), recordedQueries())];
  const tasks = readTasks('livemcpbench').filter(({ steps }) => steps.length >= 4 && steps.length <= 7);
  if (tasks.length > 0) {
    const queries = tasks.map(({ steps, wanted }) => ({ query: steps.join('; '), wanted }));
    rows.push(await measureSet('livemcpbench', readCatalog('livemcpbench'), queries));
  }
  return rows;
}

function recordedCatalog() {
  return recordedListings().flatMap(({ name: server, tools }) =>
    tools.map((tool) => ({ ...tool, server, id: `${server}:${tool.name}` })),
  );
}

function recordedQueries() {
  const tools = recordedCatalog();
  return [4, 5, 6, 7].flatMap((count) =>
    needs.map((_, first) => {
      const chosen = Array.from({ length: count }, (__, at) => needs[(first + at * stride) % needs.length]);
      const wanted = chosen.map(([, names]) => idsOf(tools, names.split(' ')));
      return { query: chosen.map(([need]) => need).join('; '), wanted };
    }),
  );
}

/** Throws Error if no recorded server has such a tool, so that a renamed tool is not counted as missing. */
function idsOf(tools, names) {
  const ids = tools.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  if (ids.length < names.length) throw new Error(`The recorded listings lack one of ${names.join(', ')}.`);
  return new Set(ids);
}

/** `wanted` of a query: sets of ids, one of each set is needed. */
async function measureSet(catalog, tools, queries) {
  const fresh = contextOf(tools);
  const [tokens, found, kept] = [[], [], []];
  for (const { query, wanted } of queries) {
    const context = fresh();
    const text = await textOf(query, context);
    tokens.push(countTokens(text));
    const hits = findTools(parseNeeds(query), context).tools.map(({ tool }) => tool);
    const named = hits.filter(({ listedName }) => text.includes(`- ${listedName}`));
    const ids = new Set(hits.map(({ id }) => id));
    const shown = new Set(named.map(({ id }) => id));
    found.push(share(wanted, ids));
    kept.push(share(wanted, shown));
  }
  const median = quantile(tokens, 0.5);
  const mean = (shares) => shares.reduce((sum, one) => sum + one, 0) / shares.length;
  return {
    catalog,
    queries: queries.length,
    'median tokens': median,
    'nine in ten': quantile(tokens, 0.9),
    'recall of the ranking': mean(found),
    'recall of the answer': mean(kept),
    met: median <= maxMedianTokens && mean(kept) >= mean(found) ? 'yes' : 'no',
  };
}

async function textOf(query, context) {
  const { content } = await searchAnswer({ query }, context, 'Nothing fits.');
  return content[0]?.text ?? '';
}

function share(wanted, ids) {
  return wanted.filter((group) => [...group].some((id) => ids.has(id))).length / wanted.length;
}
