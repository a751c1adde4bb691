/** Finds tools for what a model wants to do: one need or several, the best first, and what fits far worse left out. */
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { leavesOut, parametersText } from '../condense/signature.ts';
import { parseQuery, porterStem, tokenize } from '../search/words.ts';
import type { HelperContext, ModeView } from './mode.ts';
import { raiseUsed } from './raise-used.ts';
import { readResultTool } from './read-spill.ts';

export interface FoundTool {
  readonly tool: CatalogEntry;
  readonly score: number;
  /** Its score as a part of the best one's for the same need: 1 for that one, and for those that tie with it. */
  readonly share: number;
}

interface FoundTools {
  readonly tools: readonly FoundTool[];
  /** How many match besides, and are left out. */
  readonly more: number;
}

interface FindOptions {
  /** Most tools for each need. Without one, those that fit far worse than the best are left out as well. */
  readonly limit?: number | undefined;
  readonly accepts?: (tool: CatalogEntry) => boolean;
}

/** Most tools for one need, and for each of several. */
export const usualLimit = 8;
const limitOfSeveral = 3;
/** Needs in one question. */
const mostNeeds = 8;
/**
 * A hit with a smaller part of the best one's score is about something else, and half as many again as usual are shown where they fit
 * nearly as well as the best. Measured on eight sets of queries: of what was wanted 71 per cent are shown in 6 hits, 74 in ten.
 */
const leastShare = 0.45;
/** From this part of the best score on a tool may be the one that is meant. */
const strongShare = 0.7;
const strongOverUsual = 1.5;

/**
 * For the model, beside the query of a search. Each part is looked up apart: of three needs in two or three wordings each, 78 to 98 per cent
 * are shown, depending on the catalog; 47 to 96 in one.
 */
export const queryHint = 'every need in 2-3 wordings, commas between; several with ;';

/** What is asked for at once: a list of needs, or one text with `;` or line ends between them. */
export function needsIn(query: unknown): readonly string[] {
  const given = Array.isArray(query) ? (query as unknown[]) : [query];
  const texts = given.filter((one) => typeof one === 'string').flatMap((one) => one.split(/[;\n]/));
  const needs = texts.map((one) => one.trim()).filter((one) => one !== '');
  return [...new Set(needs)].slice(0, mostNeeds);
}

export function findTools(
  needs: readonly string[],
  view: Pick<ModeView, 'catalog' | 'index' | 'spills'> & Partial<Pick<HelperContext, 'usedTools'>>,
  { limit, accepts = () => true }: FindOptions = {},
): FoundTools {
  const { catalog, index } = view;
  const byId = new Map(catalog.tools.map((tool) => [tool.id, tool]));
  const most = limit ?? (needs.length > 1 ? limitOfSeveral : usualLimit);
  const isWanted = (id: string): boolean => {
    const tool = byId.get(id);
    return tool !== undefined && accepts(tool);
  };
  const used = view.usedTools?.() ?? new Set<string>();
  const found = new Map<string, FoundTool>();
  const matching = new Set<string>();
  for (const need of needs) {
    const all = index.search(need, { limit: index.size, accepts: isWanted }).hits;
    for (const { id } of all) matching.add(id);
    const isOpposite = oppositeOf(need);
    const sides = partition(all, ({ id }) => isOpposite(byId.get(id)?.name ?? ''));
    const [undoing = [], doing = []] = sides.map((side) => raiseUsed(side, used));
    // Whoever wants to create is not offered what deletes, unless there is nothing else or a number is asked for.
    const hits = limit === undefined && doing.length > 0 ? doing : [...doing, ...undoing];
    const best = hits[0]?.score ?? 0;
    const isNear = (score: number, place: number): boolean =>
      place < most ? score >= leastShare * best : place < most * strongOverUsual && score >= strongShare * best;
    const near = limit === undefined ? hits.filter(({ score }, place) => isNear(score, place)) : hits.slice(0, limit);
    const ranked = near.flatMap(({ id, score }) => {
      const tool = byId.get(id);
      return tool === undefined ? [] : [{ tool, score, share: best === 0 ? 0 : score / best }];
    });
    // What cannot answer now is no first choice, however well it fits.
    const usable = [...ranked.filter(({ tool }) => !tool.down), ...ranked.filter(({ tool }) => tool.down)];
    const own = readerFor(need, view).filter(({ tool }) => accepts(tool));
    const shown = [...own, ...usable].slice(0, limit ?? Infinity);
    for (const one of shown) if (!found.has(one.tool.id)) found.set(one.tool.id, one);
    for (const { tool } of own) matching.add(tool.id);
  }
  return { tools: [...found.values()], more: matching.size - found.size };
}

// What does the opposite of a need has nearly all of its words: create_entities and delete_entities.

const opposites = [
  ['create add new make insert write save register', 'delete remove drop erase destroy purge clear'],
  ['open', 'close'],
  ['start', 'stop kill end'],
  ['enable', 'disable'],
].map((pair) => pair.map((words) => new Set(words.split(' ').map(porterStem))));

/** Whether a tool of that name does the opposite of what is needed; nothing does where the need speaks of both. */
function oppositeOf(need: string): (name: string) => boolean {
  const wanted = stemsOf(need);
  const pairs = opposites.flatMap(([one = none, other = none]) => {
    const [hasOne, hasOther] = [wanted.some((stem) => one.has(stem)), wanted.some((stem) => other.has(stem))];
    return hasOne === hasOther ? [] : [hasOne ? { asked: one, undone: other } : { asked: other, undone: one }];
  });
  return (name) => {
    if (pairs.length === 0) return false;
    const stems = stemsOf(name);
    return pairs.some(
      ({ asked, undone }) => stems.some((stem) => undone.has(stem)) && !stems.some((stem) => asked.has(stem)),
    );
  };
}

const none: ReadonlySet<string> = new Set();

function stemsOf(text: string): string[] {
  return tokenize(text).map(porterStem);
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** What was left out, for the end of a list; undefined where nothing was. */
export function moreText(more: number): string | undefined {
  return more <= 0 ? undefined : `${more} more fit less; ask with limit.`;
}

// Whether a found tool needs its schema beside its line: where the line leaves something open, and the tool may be the one meant.

/** Ids of those, `most` at the most, the best first. `isOpen`: whether the line, in the mode's notation, leaves something open. */
export function needSchema(
  tools: readonly FoundTool[],
  most = 3,
  isOpen = ({ definition }: CatalogEntry): boolean => leavesOut(parametersText(usableSchema(definition))),
): ReadonlySet<string> {
  const open = tools.filter(({ tool, share }) => share >= strongShare && isOpen(tool));
  return new Set(open.slice(0, most).map(({ tool }) => tool.id));
}

// Our own tool that reads in kept answers, for whoever looks for a way to read on.

/** Words of such a need; what it must have of each group. */
const readerWords = [
  'answer answers result results output response reply',
  'read reading rest more continue see show get view look part remaining remainder page next whole full kept disk spill spilled truncated cut long large big huge tool call earlier last previous',
].map((words) => new Set(words.split(' ').map(porterStem)));

/** No server of the config is called so. */
const ownServer = '';

export function isOwnTool({ server }: CatalogEntry): boolean {
  return server === ownServer;
}

function readerFor(need: string, { catalog, spills }: Pick<ModeView, 'catalog' | 'spills'>): readonly FoundTool[] {
  const { definition } = readResultTool;
  const { name } = definition;
  if (spills !== true || catalog.lookup.tools.listedAs(name) !== undefined) return [];
  const { text, words } = parseQuery(need);
  const stems = words.map(({ word }) => porterStem(word));
  const has = (group: ReadonlySet<string>): boolean => stems.some((stem) => group.has(stem));
  const isMeant = readerWords.every(has) && stems.every((stem) => readerWords.some((group) => group.has(stem)));
  if (!isMeant && text !== name) return [];
  return [{ tool: { id: name, server: ownServer, name, listedName: name, definition }, score: 1, share: 1 }];
}
