/** Search by a few words in everything: tools, sessions, calls, spills. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { textOrEmpty } from '../../core/base/json.ts';
import { truncateText, markInvisible, neutralizeControlCharacters } from '../../core/base/visible-text.ts';
import { wordMatcher } from '../../core/base/text-format.ts';
import type { CatalogEntry } from '../../core/catalog/catalog.ts';
import type { FoundTool } from '../contract.ts';
import type { Handlers } from '../deps.ts';
import { activityHandlers } from './activity.ts';
import { spillRows } from './spills.ts';
import { timelineSessions } from './timeline.ts';

const maxTools = 8;
const maxOtherResults = 5;
/** Number of newest matching calls of which spills are found. */
const maxFoundCalls = 50;
/** Number of newest spills searched. */
const maxScanned = 1000;
const maxSnippetLength = 200;

export const findHandlers = {
  find: async ({ text }, deps) => {
    if (text.trim() === '') return { tools: [], sessions: [], calls: [], spills: [] };
    await deps.calls.spills.ready();
    const fits = wordMatcher(text);
    const [{ calls }, rows] = await Promise.all([
      activityHandlers.activity({ text, limit: maxFoundCalls }, deps),
      spillRows({ limit: maxScanned }, deps),
    ]);
    const spilled = new Set(calls.map(({ spillId }) => spillId));
    const spills = rows.filter(
      ({ id, server, tool, app, preview }) => spilled.has(id) || fits(`${server} ${tool} ${app} ${preview}`),
    );
    const { sessions, lookedThrough } = await timelineSessions(deps, maxOtherResults, ({ app, appName, mode }) =>
      fits(`${app} ${appName} ${mode}`),
    );
    return {
      tools: findTools(text, fits, deps),
      sessions,
      calls: calls.slice(0, maxOtherResults),
      spills: spills.slice(0, maxOtherResults),
      ...(lookedThrough !== undefined && { sessionsLookedThrough: lookedThrough }),
    };
  },
} satisfies Handlers;

/** The search matches whole words, but users often type a prefix: names that start with it come first. */
function findTools(
  text: string,
  fits: (said: string) => boolean,
  { calls: { catalog } }: Pick<CoreGroups, 'calls'>,
): FoundTool[] {
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
