/**
 * The tools that match one query, best first. The query is scored once; several questions may be asked of the result.
 */
import type { IndexedTool } from './postings.ts';
import { explainMatch, type Scores } from './score-query.ts';

export interface SearchHit {
  readonly id: string;
  readonly score: number;
  /** The words that matched and where, like `name: read, file; parameter: path`. */
  readonly why: string;
}

/** Returns whether a tool may be among the hits. */
export type AcceptsTool = (id: string, server: string) => boolean;

/** Tools that are wanted in addition to the best few, where they match well enough. */
export interface AlsoWanted {
  readonly ids: ReadonlySet<string>;
  /** Their minimum score, as a share of the best score. */
  readonly minShare: number;
}

export class QueryMatches {
  readonly #scores: Scores;
  /** Every tool that matches with its score, best first. */
  readonly #ranked: readonly (readonly [tool: IndexedTool, score: number])[];

  constructor(scores: Scores) {
    this.#scores = scores;
    this.#ranked = [...scores.byTool].sort(
      ([a, scoreA], [b, scoreB]) => scoreB - scoreA || (a.document.id < b.document.id ? -1 : 1),
    );
  }

  /**
   * The `limit` best tools and those `alsoWanted`, best first; equal scores in the order of ids, so that the result
   * depends on the catalog alone. `accepts` is called only until there are enough.
   */
  best(limit: number, accepts?: AcceptsTool, alsoWanted?: AlsoWanted): SearchHit[] {
    const hits: SearchHit[] = [];
    for (const [tool, score] of this.#ranked) {
      if (hits.length >= limit) {
        if (alsoWanted === undefined || score < alsoWanted.minShare * (hits[0]?.score ?? 0)) break;
        if (!alsoWanted.ids.has(tool.document.id)) continue;
      }
      if (isAccepted(tool, accepts)) hits.push(this.#hit(tool, score));
    }
    return hits;
  }

  /** The `limit` best tools as the index holds them. */
  tools(limit: number, accepts?: AcceptsTool): IndexedTool[] {
    const tools = this.#ranked.map(([tool]) => tool);
    return tools.filter((tool) => isAccepted(tool, accepts)).slice(0, limit);
  }

  /** Whether the query is, or contains, the tool's name. */
  isNamed(id: string | undefined): boolean {
    return [...this.#scores.named].some(({ document }) => document.id === id);
  }

  /** The number of tools that match at least one of the queries and are accepted. */
  static count(queries: readonly QueryMatches[], accepts?: AcceptsTool): number {
    const tools = new Set(queries.flatMap((query) => [...query.#scores.byTool.keys()]));
    return accepts === undefined ? tools.size : [...tools].filter((tool) => isAccepted(tool, accepts)).length;
  }

  #hit(tool: IndexedTool, score: number): SearchHit {
    const scores = this.#scores;
    return {
      id: tool.document.id,
      score,
      // Computed when it is read: most callers want the order alone.
      get why() {
        return explainMatch(tool, scores);
      },
    };
  }
}

function isAccepted({ document: { id, server } }: IndexedTool, accepts: AcceptsTool | undefined): boolean {
  return accepts === undefined || accepts(id, server);
}
