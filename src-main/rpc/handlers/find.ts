/** Search by a few words in everything: tools, sessions, calls, spills. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { textOrEmpty } from '../../core/base/json.ts';
import { truncateText, markInvisible, neutralizeControlCharacters } from '../../core/base/visible-text.ts';
import { wordMatcher } from '../../core/base/text-format.ts';
import type { CatalogEntry } from '../../core/catalog/catalog.ts';
import type { FoundTool, SpillRow } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { activityHandlers } from './activity.ts';
import { spillRows } from './spills.ts';
import { timelineSessions } from './timeline.ts';

const maxTools = 8;
const maxOtherResults = 5;
/** Number of newest matching spilled results that are looked for on disk. */
const maxSpilledCalls = 50;
/** Number of newest spills searched. */
const maxScanned = 1000;
const maxSnippetLength = 200;

export const findHandlers = {
  find: async ({ text }, deps) => {
    if (text.trim() === '') return { tools: [], sessions: [], calls: [], spills: [] };
    const fits = wordMatcher(text);
    const [{ calls }, spills, { sessions, lookedThrough }] = await Promise.all([
      activityHandlers.activity({ text, limit: maxOtherResults }, deps),
      deps.activity.log.ask('findSpills', text, maxSpilledCalls).then((ids) => findSpills(text, deps, ids)),
      timelineSessions(deps, maxOtherResults, ({ app, appName, mode }) => fits(`${app} ${appName} ${mode}`)),
    ]);
    return {
      tools: findTools(text, deps),
      sessions,
      calls,
      spills,
      ...(lookedThrough !== undefined && { sessionsLookedThrough: lookedThrough }),
    };
  },
} satisfies Handlers;

/** Finds spills by their app, server, tool, and identifying argument; `also`: IDs of others. Newest first. */
export async function findSpills(
  text: string,
  deps: Pick<RpcDeps, 'calls' | 'context' | 'reader'>,
  also: readonly string[] = [],
): Promise<SpillRow[]> {
  const fits = wordMatcher(text);
  await deps.calls.spills.ready();
  const rows = await spillRows({ limit: maxScanned }, deps);
  const found = rows.filter(
    ({ id, server, tool, app, preview }) => also.includes(id) || fits(`${server} ${tool} ${app} ${preview}`),
  );
  return found.slice(0, maxOtherResults);
}

/** The search matches whole words, but users often type a prefix: names that start with it come first. */
export function findTools(text: string, { calls: { catalog } }: Pick<CoreGroups, 'calls'>): FoundTool[] {
  const fits = wordMatcher(text);
  const { tools, lookup } = catalog.current;
  const prefix = text.trim().toLowerCase();
  const byName = tools.filter(({ server, name }) => fits(`${server} ${name}`));
  const begins = byName.filter(({ name }) => name.toLowerCase().startsWith(prefix));
  const { hits } = catalog.index.search(text, { limit: maxTools });
  const found = new Set([...begins, ...hits.flatMap(({ id }) => lookup.tools.byId(id)), ...byName]);
  return [...found].slice(0, maxTools).map(foundTool);
}

function foundTool({ server, name, definition }: CatalogEntry): FoundTool {
  const description = neutralizeControlCharacters(textOrEmpty(definition['description'])).replace(/\s+/g, ' ').trim();
  return { server, tool: markInvisible(name), description: truncateText(description, maxSnippetLength) };
}
