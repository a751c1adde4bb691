/** Finds tools for one or several needs of a model, best first; poor matches are omitted. */
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { isLossy, parametersText } from '../condense/signature.ts';
import { type AcceptsTool, QueryMatches } from '../search/query-matches.ts';
import { parseQuery, porterStem, tokenize } from '../search/word-hashes.ts';
import type { HelperContext, ModeView } from './mode.ts';
import { alsoWantedOf, boostRecentTools, type ScoredHit } from './boost-recent-tools.ts';
import { readResultTool } from './read-spill.ts';

export interface FoundTool {
  readonly tool: CatalogEntry;
  readonly score: number;
  /** Its score as a share of the best score for the same need: 1 for the best hit, and for those that tie with it. */
  readonly share: number;
}

export interface FoundTools {
  /** The distinct tools of all needs. */
  readonly tools: readonly FoundTool[];
  /** The tools by need; a tool may match several. */
  readonly byNeed: readonly { readonly need: string; readonly tools: readonly FoundTool[] }[];
  /** Number of omitted matches. */
  readonly more: number;
}

interface FindOptions {
  /** Maximum number of tools per need. Without one, poor matches are omitted as well. */
  readonly limit?: number | undefined;
  readonly accepts?: (tool: CatalogEntry) => boolean;
}

/** Maximum number of tools for one need, and for each of several. */
export const defaultLimit = 8;
const limitOfSeveral = 3;
/** Maximum number of needs in a query. */
const maxNeeds = 8;
/**
 * A hit with a smaller share of the best score is about something else. Half as many more are shown if they match
 * nearly as well as the best. Measured on eight sets of queries: 71 per cent of the wanted tools are among 6 hits, 74
 * among ten.
 */
const minScoreShare = 0.45;
/** The first few hits may have a lower score, because a line costs less than a second search. */
const firstFew = 3;
const leastShareOfFew = 0.3;
/** From this share of the best score on, a tool may be the intended one. */
const strongShare = 0.7;
const strongOverUsual = 1.5;

/**
 * For the model, in the description of the query. Each part is searched separately: of three needs in two or three
 * wordings each, 78 to 98 per cent are shown, depending on the catalog; 47 to 96 in one.
 */
export const queryHint = 'every need in 2-3 wordings, commas between; several with ;';

/** Maximum length of a query, in characters. */
const maxQueryLength = 8000;

/** Returns the needs of a query: a list, or one text with `;` or line breaks between them. */
export function parseNeeds(query: unknown): readonly string[] {
  const given = Array.isArray(query) ? (query as unknown[]) : [query];
  const written = given.slice(0, maxNeeds).filter((one) => typeof one === 'string');
  const texts = written.flatMap((one) => one.slice(0, maxQueryLength).split(/[;\n]/));
  const needs = texts.map((one) => one.trim()).filter((one) => one !== '');
  return [...new Set(needs)].slice(0, maxNeeds);
}

export function findTools(
  needs: readonly string[],
  view: Pick<ModeView, 'catalog' | 'index' | 'spills'> & Partial<Pick<HelperContext, 'usedTools'>>,
  { limit, accepts }: FindOptions = {},
): FoundTools {
  const { tools } = view.catalog.lookup;
  const toolOf = (id: string): CatalogEntry | undefined => tools.byId(id).at(-1);
  // Without a filter, only shown tools need to be looked up in the catalog.
  const isWanted =
    accepts &&
    ((id: string): boolean => {
      const tool = toolOf(id);
      return tool !== undefined && accepts(tool);
    });
  const most = limit ?? (needs.length > 1 ? limitOfSeveral : defaultLimit);
  const used = view.usedTools?.() ?? none;
  const shown = new Map<string, FoundTool>();
  const searched = needs.map((need) => ({ need, found: view.index.find(need) }));
  const own = new Set<string>();
  const byNeed = searched.map(({ need, found }) => {
    const stems = stemsOf(need);
    const hits = bestHits(stems, found, { most, limit, isWanted, toolOf, used });
    const best = hits[0]?.score ?? 0;
    // The score of a tool that the need names is not comparable with the others.
    const reference = found.isNamed(hits[0]?.id) ? (hits[1]?.score ?? best) : best;
    const isNear = (score: number, place: number): boolean =>
      place < most
        ? score >= (place < firstFew ? leastShareOfFew : minScoreShare) * reference
        : place < most * strongOverUsual && score >= strongShare * reference;
    const near = limit === undefined ? hits.filter(({ score }, place) => isNear(score, place)) : hits.slice(0, limit);
    const ranked = near.flatMap(({ id, score }) => {
      const tool = toolOf(id);
      return tool === undefined ? [] : [{ tool, score, share: best === 0 ? 0 : score / best }];
    });
    // Unavailable tools come last, however well they match.
    const usable = [...ranked.filter(({ tool }) => !tool.down), ...ranked.filter(({ tool }) => tool.down)];
    const readers = readerFor(need, stems, view).filter(({ tool }) => accepts?.(tool) !== false);
    for (const { tool } of readers) own.add(tool.id);
    const fitting = [...readers, ...usable].slice(0, limit ?? Infinity);
    for (const one of fitting) if (!shown.has(one.tool.id)) shown.set(one.tool.id, one);
    return { need, tools: fitting };
  });
  const count =
    QueryMatches.count(
      searched.map(({ found }) => found),
      isWanted,
    ) + own.size;
  return { tools: [...shown.values()], byNeed, more: count - shown.size };
}

interface Wanted {
  readonly most: number;
  readonly limit: number | undefined;
  readonly isWanted: AcceptsTool | undefined;
  readonly toolOf: (id: string) => CatalogEntry | undefined;
  readonly used: ReadonlySet<string>;
}

/** Returns the best hits for a need, up to the limit, best first. */
function bestHits(
  stems: readonly string[],
  found: QueryMatches,
  { most, limit, isWanted, toolOf, used }: Wanted,
): readonly ScoredHit[] {
  const isOpposite = oppositeOf(stems);
  const count = Math.ceil(most * strongOverUsual);
  const side = (accepts?: AcceptsTool): readonly ScoredHit[] =>
    boostRecentTools(found.best(count, accepts, alsoWantedOf(used)), used);
  if (isOpposite === undefined) return side(isWanted);
  const undoes = (id: string): boolean => isOpposite(toolOf(id)?.name ?? '');
  const sideThat = (undoing: boolean): readonly ScoredHit[] =>
    side((id, server) => isWanted?.(id, server) !== false && undoes(id) === undoing);
  const doing = sideThat(false);
  // A request to create something is not offered tools that delete, unless nothing else matches or a number is
  // requested.
  if ((limit === undefined && doing.length > 0) || doing.length >= count) return doing;
  return [...doing, ...sideThat(true)];
}

// The opposite of a need has nearly the same words: create_entities and delete_entities.

const opposites = [
  ['create add new make insert write save register', 'delete remove drop erase destroy purge clear'],
  ['open', 'close'],
  ['start', 'stop kill end'],
  ['enable', 'disable'],
].map((pair) => pair.map(oneSide));

interface Side {
  readonly stems: ReadonlySet<string>;
  /** Matches every name with one of the words, and few others, so that most names need no stemming. */
  readonly hint: RegExp;
}

function oneSide(words: string): Side {
  const stems = words.split(' ').map(porterStem);
  return { stems: new Set(stems), hint: new RegExp(stems.map((stem) => stem.slice(0, 3)).join('|'), 'i') };
}

/**
 * Returns a function that tells whether a tool's name is the opposite of the need, by stems; undefined if the need has
 * no opposite, or mentions both.
 */
function oppositeOf(wanted: readonly string[]): ((name: string) => boolean) | undefined {
  const pairs = opposites.flatMap(([one = noSide, other = noSide]) => {
    const [hasOne, hasOther] = [one, other].map(({ stems }) => wanted.some((stem) => stems.has(stem)));
    return hasOne === hasOther ? [] : [hasOne ? { asked: one, undone: other } : { asked: other, undone: one }];
  });
  if (pairs.length === 0) return undefined;
  return (name) => {
    const near = pairs.filter(({ undone }) => undone.hint.test(name));
    const stems = near.length === 0 ? [] : stemsOf(name);
    return near.some(
      ({ asked: searched, undone }) =>
        stems.some((stem) => undone.stems.has(stem)) && !stems.some((stem) => searched.stems.has(stem)),
    );
  };
}

const noSide: Side = { stems: new Set(), hint: /(?!)/ };
const none: ReadonlySet<string> = new Set();

function stemsOf(text: string): string[] {
  return tokenize(text).map(porterStem);
}

/** Returns a note about omitted matches for the end of a list; undefined if there are none. */
export function moreMatchesText(more: number): string | undefined {
  return more <= 0 ? undefined : `${more} weaker matches; use limit.`;
}

// Decides which found tools need their schema: those whose line omits something and that may be the intended ones.

/** At most `most` ids, best first. `isOpen`: whether the line, in the mode's notation, omits something. */
export function toolsNeedingSchema(
  tools: readonly FoundTool[],
  most = 3,
  isOpen = ({ definition }: CatalogEntry): boolean => isLossy(parametersText(usableSchema(definition))),
): ReadonlySet<string> {
  const open = tools.filter(({ tool, share }) => share >= strongShare && isOpen(tool));
  return new Set(open.slice(0, most).map(({ tool }) => tool.id));
}

// Our own tool that reads spills, for a model that searches for one.

/** Words of such a need; it must contain one of each group. */
const readerWords = [
  'answer answers result results output response reply',
  'read reading rest more continue see show get view look part remaining remainder page next whole full kept disk spill spilled truncated cut long large big huge tool call earlier last previous',
].map((words) => new Set(words.split(' ').map(porterStem)));

/** Represents Tooltray itself; no configured server has this name. */
const ownServer = '';

export function isOwnTool({ server }: CatalogEntry): boolean {
  return server === ownServer;
}

function readerFor(
  need: string,
  stems: readonly string[],
  { catalog, spills }: Pick<ModeView, 'catalog' | 'spills'>,
): readonly FoundTool[] {
  const { definition } = readResultTool;
  const { name } = definition;
  if (spills !== true || catalog.lookup.tools.byListedName(name) !== undefined) return [];
  const isMeant = readerWords.every((group) => stems.some((stem) => group.has(stem))) && isAboutReading(need);
  if (!isMeant && need !== name) return [];
  return [{ tool: { id: name, server: ownServer, name, listedName: name, definition }, score: 1, share: 1 }];
}

/** Whether a need consists only of these words. */
function isAboutReading(need: string): boolean {
  const stems = parseQuery(need).words.map(({ word }) => porterStem(word));
  const has = (group: ReadonlySet<string>): boolean => stems.some((stem) => group.has(stem));
  return readerWords.every(has) && stems.every((stem) => readerWords.some((group) => group.has(stem)));
}
