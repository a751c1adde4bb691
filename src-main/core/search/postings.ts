/** For every term the documents that hold it, with how much it says there (BM25F): segments merged into typed arrays. */

import { fieldCount, type Ranking } from './ranking.ts';
import type { SearchDocument } from './search-document.ts';
import type { Segment } from './segment.ts';

export interface Postings {
  readonly documents: readonly SearchDocument[];
  /** Term to its number: where it stands in `start` and `rarity`. */
  readonly terms: ReadonlyMap<string, number>;
  /** First posting of each term, and the end of the last. */
  readonly start: Uint32Array;
  /** Ascending within a term. */
  readonly document: Uint32Array;
  /** Saturated weight of the term in the document, 0 to 1. */
  readonly impact: Float32Array;
  /** Bit per field the term occurs in. */
  readonly fields: Uint8Array;
  /** Inverse document frequency by term. */
  readonly rarity: Float32Array;
}

export function mergeSegments(segments: readonly Segment[], ranking: Ranking): Postings {
  const terms = new Map<string, number>();
  const numbers = segments.map((segment) => Uint32Array.from(segment.terms, (term) => numberOf(term, terms)));
  const start = countPostings(segments, numbers, terms.size);
  const total = start[terms.size] ?? 0;
  const documents = segments.flatMap((segment) => segment.documents);
  const merged = {
    documents,
    terms,
    start,
    document: new Uint32Array(total),
    impact: new Float32Array(total),
    fields: new Uint8Array(total),
    rarity: rarities(start, documents.length),
  };
  fillPostings(merged, segments, numbers, ranking);
  return merged;
}

function numberOf(term: string, terms: Map<string, number>): number {
  const number = terms.get(term) ?? terms.size;
  if (number === terms.size) terms.set(term, number);
  return number;
}

function countPostings(segments: readonly Segment[], numbers: readonly Uint32Array[], terms: number): Uint32Array {
  const start = new Uint32Array(terms + 1);
  segments.forEach((segment, index) => {
    for (const term of segment.entryTerm) {
      const next = (numbers[index]?.[term] ?? 0) + 1;
      start[next] = (start[next] ?? 0) + 1;
    }
  });
  for (let term = 1; term <= terms; term += 1) start[term] = (start[term] ?? 0) + (start[term - 1] ?? 0);
  return start;
}

function rarities(start: Uint32Array, documents: number): Float32Array {
  const rarity = new Float32Array(start.length - 1);
  for (let term = 0; term < rarity.length; term += 1) {
    const holders = (start[term + 1] ?? 0) - (start[term] ?? 0);
    rarity[term] = Math.log(1 + (documents - holders + 0.5) / (holders + 0.5));
  }
  return rarity;
}

function fillPostings(
  merged: Postings,
  segments: readonly Segment[],
  numbers: readonly Uint32Array[],
  ranking: Ranking,
): void {
  const averages = averageLengths(segments, merged.documents.length);
  const next = merged.start.slice();
  const factors = new Float64Array(fieldCount);
  let document = 0;
  segments.forEach((segment, index) => {
    for (let local = 0; local < segment.documents.length; local += 1, document += 1) {
      fieldFactors(segment, local, averages, ranking, factors);
      const end = segment.entryStart[local + 1] ?? 0;
      for (let entry = segment.entryStart[local] ?? 0; entry < end; entry += 1) {
        const term = numbers[index]?.[segment.entryTerm[entry] ?? 0] ?? 0;
        const posting = next[term] ?? 0;
        next[term] = posting + 1;
        let weight = 0;
        let mask = 0;
        for (let field = 0; field < fieldCount; field += 1) {
          const count = segment.entryCounts[entry * fieldCount + field] ?? 0;
          if (count === 0) continue;
          weight += count * (factors[field] ?? 0);
          mask |= 1 << field;
        }
        merged.document[posting] = document;
        merged.impact[posting] = weight / (ranking.k1 + weight);
        merged.fields[posting] = mask;
      }
    }
  });
}

function averageLengths(segments: readonly Segment[], documents: number): Float64Array {
  const sums = new Float64Array(fieldCount);
  for (const { fieldLengths } of segments) {
    for (let cell = 0; cell < fieldLengths.length; cell += 1) {
      const field = cell % fieldCount;
      sums[field] = (sums[field] ?? 0) + (fieldLengths[cell] ?? 0);
    }
  }
  return sums.map((sum) => sum / Math.max(1, documents));
}

/** What one occurrence in each field of this document weighs: the field's weight, thinned by its length. */
function fieldFactors(
  segment: Segment,
  document: number,
  averages: Float64Array,
  ranking: Ranking,
  factors: Float64Array,
): void {
  for (let field = 0; field < fieldCount; field += 1) {
    const penalty = ranking.lengthPenalty[field] ?? 0;
    const length = segment.fieldLengths[document * fieldCount + field] ?? 0;
    const relative = length / Math.max(averages[field] ?? 0, 1e-9);
    factors[field] = (ranking.weights[field] ?? 0) / (1 - penalty + penalty * relative);
  }
}
