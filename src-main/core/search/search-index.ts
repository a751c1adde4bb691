/** The search over all tools: one segment per server, merged into one ranked index when it is next asked. */

import { explainMatch } from './explain-match.ts';
import { NameLookup } from './name-lookup.ts';
import { NearWords } from './near-words.ts';
import { parseQuery } from './parse-query.ts';
import { mergeSegments } from './postings.ts';
import { defaultRanking, type Ranking } from './ranking.ts';
import { type Scorer, type Scores, scoreQuery } from './score-query.ts';
import type { SearchDocument } from './search-document.ts';
import { readSegment, type Segment, stemMark } from './segment.ts';
import { suggestNames } from './suggest-names.ts';
import { topDocuments } from './top-documents.ts';

export interface SearchOptions {
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

export interface SearchAnswer {
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
  readonly #segments = new Map<string, Segment>();
  readonly #ranking: Ranking;
  #scorer: Scorer | undefined;

  constructor(ranking: Ranking = defaultRanking) {
    this.#ranking = ranking;
  }

  /** Number of tools indexed. */
  get size(): number {
    let size = 0;
    for (const segment of this.#segments.values()) size += segment.documents.length;
    return size;
  }

  /** Sets the tools of a server; what it had before is forgotten. Other servers are not read again. */
  replaceServer(server: string, documents: readonly SearchDocument[]): void {
    this.#segments.set(server, readSegment(documents));
    this.#scorer = undefined;
  }

  removeServer(server: string): void {
    if (this.#segments.delete(server)) this.#scorer = undefined;
  }

  search(query: string, options: SearchOptions = {}): SearchAnswer {
    const scorer = this.#ready();
    const scores = scoreQuery(parseQuery(query), scorer);
    const found = matches(scores, scorer, options);
    const hits = bestOf(found, scores, scorer, options.limit ?? defaultLimit).map((document) => ({
      id: scorer.postings.documents[document]?.id ?? '',
      score: scores.score[document] ?? 0,
      why: explainMatch(document, scores, scorer.postings),
    }));
    return { total: found.length, hits };
  }

  /** Ids of the tools whose names are nearest to this one, for "did you mean"; at most three, none if nothing is near. */
  suggest(name: string): string[] {
    const scorer = this.#ready();
    const scores = scoreQuery(parseQuery(name), scorer);
    const related = bestOf(matches(scores, scorer), scores, scorer, relatedLimit);
    const { documents } = scorer.postings;
    const nearest = suggestNames(name, documents, scorer.names, related, suggestionLimit);
    return nearest.map((document) => documents[document]?.id ?? '');
  }

  #ready(): Scorer {
    return (this.#scorer ??= toScorer([...this.#segments.values()], this.#ranking));
  }
}

function toScorer(segments: readonly Segment[], ranking: Ranking): Scorer {
  const postings = mergeSegments(segments, ranking);
  let near: NearWords | undefined;
  return {
    postings,
    ranking,
    names: new NameLookup(segments.flatMap((segment) => segment.nameKeys)),
    // Built at the first unknown word: many catalogs never meet one.
    nearWords: (word) => {
      near ??= new NearWords([...postings.terms.keys()].filter((term) => !term.startsWith(stemMark)));
      return near.find(word);
    },
  };
}

function matches({ score }: Scores, { postings }: Scorer, { servers, accepts }: SearchOptions = {}): number[] {
  const allowed = servers === undefined ? undefined : new Set(servers);
  const found: number[] = [];
  for (let document = 0; document < score.length; document += 1) {
    if ((score[document] ?? 0) === 0) continue;
    const { id = '', server = '' } = postings.documents[document] ?? {};
    if (allowed?.has(server) !== false && accepts?.(id) !== false) found.push(document);
  }
  return found;
}

function bestOf(found: readonly number[], { score }: Scores, { postings }: Scorer, limit: number): number[] {
  const scoreOf = (document: number): number => score[document] ?? 0;
  const idOf = (document: number): string => postings.documents[document]?.id ?? '';
  return topDocuments(found, limit, (a, b) =>
    scoreOf(a) === scoreOf(b) ? idOf(a) < idOf(b) : scoreOf(a) > scoreOf(b),
  );
}
