/** The search over all tools: ranked, filled server by server, and as quick to change as to ask. */

import { explainMatch, scoreQuery, type Scores, topDocuments } from './score-query.ts';
import { parseQuery } from './words.ts';
import { defaultRanking, type Ranking, type SearchDocument } from './segment.ts';
import { suggestNames } from './name-lookup.ts';
import { ToolStore } from './tool-store.ts';

interface SearchOptions {
  /** Most hits to return; 10 by default. */
  readonly limit?: number;
  /** Only tools of these servers; applied before the limit. */
  readonly servers?: readonly string[];
  /** Only tools with an id for which it says yes; applied before the limit. */
  readonly accepts?: (id: string) => boolean;
}

export interface SearchHit {
  readonly id: string;
  readonly score: number;
  /** The words that matched and where, like `name: read, file; parameter: path`. */
  readonly why: string;
}

interface SearchAnswer {
  /** How many tools match in all, shown or not. */
  readonly total: number;
  /** Best first; equal scores in the order of ids, so that an answer depends on the catalog alone. */
  readonly hits: readonly SearchHit[];
}

const defaultLimit = 10;
const suggestionLimit = 3;
/** Tools sharing words with a wrong name that are looked at for a suggestion. */
const relatedLimit = 50;

export class SearchIndex {
  readonly #store: ToolStore;

  constructor(ranking: Ranking = defaultRanking) {
    this.#store = new ToolStore(ranking);
  }

  /** Number of tools indexed. */
  get size(): number {
    return this.#store.size;
  }

  /** Sets the tools of a server; what it had before is forgotten. Other servers are not read again. */
  replaceServer(server: string, documents: readonly SearchDocument[]): void {
    this.#store.replace(server, documents);
  }

  removeServer(server: string): void {
    this.#store.remove(server);
  }

  search(query: string, options: SearchOptions = {}): SearchAnswer {
    const store = this.#store;
    const scores = scoreQuery(parseQuery(query), store);
    const found = matches(scores, store, options);
    const hits = bestOf(found, scores, store, options.limit ?? defaultLimit).map((document) => ({
      id: store.documents[document]?.id ?? '',
      score: scores.score[document] ?? 0,
      // Made where it is read: most who search want the order alone.
      get why() {
        return explainMatch(document, scores, store.postings);
      },
    }));
    return { total: found.length, hits };
  }

  /**
   * Ids of the tools whose names are nearest to this one, for "did you mean"; at most three, none if nothing is near.
   * `server`: of its tools alone.
   */
  suggest(name: string, server?: string): string[] {
    const store = this.#store;
    const scores = scoreQuery(parseQuery(name), store);
    const among = server === undefined ? {} : { servers: [server] };
    const related = bestOf(matches(scores, store, among), scores, store, relatedLimit);
    const limit = server === undefined ? suggestionLimit : store.size;
    const nearest = suggestNames(name, store.documents, store.names, related, limit);
    const found = nearest.flatMap((document) => store.documents[document] ?? []);
    const own = server === undefined ? found : found.filter((document) => document.server === server);
    return own.slice(0, suggestionLimit).map(({ id }) => id);
  }
}

function matches({ score }: Scores, { documents }: ToolStore, { servers, accepts }: SearchOptions = {}): number[] {
  const found: number[] = [];
  for (let document = 0; document < score.length; document += 1) if (score[document] !== 0) found.push(document);
  if (servers === undefined && accepts === undefined) return found;
  const allowed = servers === undefined ? undefined : new Set(servers);
  return found.filter((document) => {
    const { id = '', server = '' } = documents[document] ?? {};
    return allowed?.has(server) !== false && accepts?.(id) !== false;
  });
}

function bestOf(found: readonly number[], { score }: Scores, { documents }: ToolStore, limit: number): number[] {
  const scoreOf = (document: number): number => score[document] ?? 0;
  const idOf = (document: number): string => documents[document]?.id ?? '';
  return topDocuments(found, limit, (a, b) =>
    scoreOf(a) === scoreOf(b) ? idOf(a) < idOf(b) : scoreOf(a) > scoreOf(b),
  );
}
