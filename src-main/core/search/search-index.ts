/** The search over all tools: ranked by BM25F, filled server by server. */
import { type AcceptsTool, QueryMatches, type SearchHit } from './query-matches.ts';
import { NameLookup } from './name-lookup.ts';
import { type IndexedTool, Postings } from './postings.ts';
import { scoreQuery } from './score-query.ts';
import type { SearchDocument } from './search-document.ts';
import { parseQuery } from './word-hashes.ts';

interface SearchOptions {
  /** Maximum number of hits; 10 by default. */
  readonly limit?: number;
  /** Only tools of these servers; applied before the limit. */
  readonly servers?: readonly string[];
  /** Only tools for which it returns true; applied before the limit. */
  readonly accepts?: AcceptsTool;
}

interface SearchAnswer {
  /** How many tools match in all, shown or not. */
  readonly total: number;
  /** Best first; equal scores in the order of ids, so that the result depends on the catalog alone. */
  readonly hits: readonly SearchHit[];
}

const defaultLimit = 10;
const maxSuggestions = 3;
/** Tools sharing words with a wrong name that are considered for a suggestion. */
const maxRelated = 50;

export class SearchIndex {
  readonly #servers = new Map<string, readonly IndexedTool[]>();
  readonly #postings = new Postings();
  readonly #names = new NameLookup();
  #size = 0;

  /** Number of indexed tools. */
  get size(): number {
    return this.#size;
  }

  /** Replaces the tools of a server. Other servers are not indexed again. */
  replaceServer(server: string, documents: readonly SearchDocument[]): void {
    this.removeServer(server);
    const tools = documents.map((document) => this.#postings.add(document));
    for (const tool of tools) this.#names.add(tool);
    this.#servers.set(server, tools);
    this.#size += tools.length;
  }

  removeServer(server: string): void {
    const tools = this.#servers.get(server) ?? [];
    for (const tool of tools) {
      this.#postings.remove(tool);
      this.#names.remove(tool);
    }
    this.#servers.delete(server);
    this.#size -= tools.length;
  }

  /** Scores the query once; several questions can then be asked of the result. */
  find(query: string): QueryMatches {
    return new QueryMatches(
      scoreQuery(parseQuery(query), { postings: this.#postings, names: this.#names, size: this.#size }),
    );
  }

  search(query: string, { limit = defaultLimit, ...options }: SearchOptions = {}): SearchAnswer {
    const found = this.find(query);
    const accepts = accepting(options);
    return { total: QueryMatches.count([found], accepts), hits: found.best(limit, accepts) };
  }

  /**
   * Ids of the tools whose names are nearest to this one, for "did you mean"; at most three, none if nothing is near.
   * With `server` only its tools.
   */
  suggest(name: string, server?: string): string[] {
    const related = this.find(name).tools(maxRelated, accepting(server === undefined ? {} : { servers: [server] }));
    return this.#names
      .suggest(name, related)
      .map(({ document }) => document)
      .filter((document) => server === undefined || document.server === server)
      .slice(0, maxSuggestions)
      .map(({ id }) => id);
  }
}

function accepting({ servers, accepts }: SearchOptions): AcceptsTool | undefined {
  if (servers === undefined) return accepts;
  const allowed = new Set(servers);
  return (id, server) => allowed.has(server) && accepts?.(id, server) !== false;
}
