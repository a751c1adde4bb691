/** The search over all tools: ranked, filled server by server, and as quick to change as to ask. */

import { type AcceptsTool, Found, type SearchHit } from './found.ts';
import { suggestNames } from './name-lookup.ts';
import { scoreQuery } from './score-query.ts';
import { defaultRanking, type Ranking, type SearchDocument } from './segment.ts';
import { ToolStore } from './tool-store.ts';
import { parseQuery } from './words.ts';

interface SearchOptions {
  /** Most hits to return; 10 by default. */
  readonly limit?: number;
  /** Only tools of these servers; applied before the limit. */
  readonly servers?: readonly string[];
  /** Only tools with an id for which it says yes; applied before the limit. */
  readonly accepts?: AcceptsTool;
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

  /** Scores the query once; several things may then be asked of it. Who closes it when done spares the next query memory. */
  find(query: string): Found {
    return new Found(scoreQuery(parseQuery(query), this.#store), this.#store);
  }

  search(query: string, { limit = defaultLimit, ...options }: SearchOptions = {}): SearchAnswer {
    const found = this.find(query);
    const accepts = accepting(options);
    const answer = { total: Found.count([found], accepts), hits: found.best(limit, accepts) };
    found.close();
    return answer;
  }

  /**
   * Ids of the tools whose names are nearest to this one, for "did you mean"; at most three, none if nothing is near.
   * `server`: of its tools alone.
   */
  suggest(name: string, server?: string): string[] {
    const store = this.#store;
    const found = this.find(name);
    const related = found.numbers(relatedLimit, accepting(server === undefined ? {} : { servers: [server] }));
    found.close();
    const limit = server === undefined ? suggestionLimit : store.size;
    const nearest = suggestNames(name, store.documents, store.names, related, limit);
    const tools = nearest.flatMap((document) => store.documents[document] ?? []);
    const own = server === undefined ? tools : tools.filter((document) => document.server === server);
    return own.slice(0, suggestionLimit).map(({ id }) => id);
  }
}

function accepting({ servers, accepts }: SearchOptions): AcceptsTool | undefined {
  if (servers === undefined) return accepts;
  const allowed = new Set(servers);
  return (id, server) => allowed.has(server) && accepts?.(id, server) !== false;
}
