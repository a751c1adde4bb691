/** What a person finds by a few words, wherever it is: tools, sessions, kept answers. */
import { textOr } from '../../core/base/json.ts';
import { cutText, markHidden, markSteering } from '../../core/base/shown-text.ts';
import { hasEveryWord } from '../../core/base/wording.ts';
import type { CatalogEntry } from '../../core/catalog/catalog.ts';
import type { FoundTool } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { spillRows } from './spills.ts';
import { timelineSessions } from './timeline.ts';

const mostTools = 8;
const mostOthers = 5;
/** Kept answers that are looked at, the newest; and letters of a description. */
const lookedAt = 1000;
const shownLetters = 200;

export const findHandlers = {
  find: async ({ text }, deps) => {
    const { core } = deps;
    if (text.trim() === '') return { tools: [], sessions: [], kept: [] };
    await core.spills.ready();
    const fits = hasEveryWord(text);
    const rows = await spillRows({ limit: lookedAt }, deps);
    const kept = rows.filter(({ server, tool, app }) => fits(`${server} ${tool} ${app}`));
    const { sessions, lookedThrough } = timelineSessions(core, mostOthers, ({ app, appName, mode }) =>
      fits(`${app} ${appName} ${mode}`),
    );
    return {
      tools: findTools(text, fits, core),
      sessions,
      kept: kept.slice(0, mostOthers),
      ...(lookedThrough !== undefined && { sessionsLookedThrough: lookedThrough }),
    };
  },
} satisfies Handlers;

/** The search knows whole words, a person has often typed half of one: a name that begins so is meant, and goes first. */
function findTools(text: string, fits: (said: string) => boolean, { catalog }: RpcDeps['core']): FoundTool[] {
  const { tools, lookup } = catalog.current;
  const begun = text.trim().toLowerCase();
  const byName = tools.filter(({ server, name }) => fits(`${server} ${name}`));
  const begins = byName.filter(({ name }) => name.toLowerCase().startsWith(begun));
  const { hits } = catalog.index.search(text, { limit: mostTools });
  const found = new Set([...begins, ...hits.flatMap(({ id }) => lookup.tools.withId(id)), ...byName]);
  return [...found].slice(0, mostTools).map(foundTool);
}

function foundTool({ server, name, definition }: CatalogEntry): FoundTool {
  const description = markSteering(textOr(definition['description'])).replace(/\s+/g, ' ').trim();
  return { server, tool: markHidden(name), description: cutText(description, shownLetters) };
}
