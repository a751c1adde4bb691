/** An inverted index: every word and stem with the tools that contain it and its weight there. */
import { editDistance } from '../base/edit-distance.ts';
import { fieldTexts, type SearchDocument, searchFields } from './search-document.ts';
import { porterStem, tokenize } from './word-hashes.ts';

export interface IndexedTool {
  readonly document: SearchDocument;
  /** All words and stems of the tool. */
  readonly terms: readonly string[];
}

/** A word of the index in place of one that it does not contain. */
interface NearWord {
  readonly word: string;
  /** 0 to 1. */
  readonly likeness: number;
}

/** BM25 saturation: how soon repetitions of a word stop counting. */
const k1 = 1.2;
const maxNearWords = 8;
const noTools: ReadonlyMap<IndexedTool, number> = new Map();

/** Returns the term of a word's stem. The mark is part of no word. */
export function stemTerm(word: string): string {
  return `~${porterStem(word)}`;
}

export class Postings {
  readonly #tools = new Map<string, Map<IndexedTool, number>>();
  /** Words without stems, by first letter. */
  readonly #words = new Map<string, Set<string>>();

  add(document: SearchDocument): IndexedTool {
    const weights = termWeights(document);
    const tool = { document, terms: [...weights.keys()] };
    for (const [term, weight] of weights) {
      const tools = this.#tools.get(term);
      // Saturated: 0 to 1.
      const impact = weight / (k1 + weight);
      if (tools === undefined) this.#addTerm(term, new Map([[tool, impact]]));
      else tools.set(tool, impact);
    }
    return tool;
  }

  remove(tool: IndexedTool): void {
    for (const term of tool.terms) {
      const tools = this.#tools.get(term);
      tools?.delete(tool);
      if (tools?.size !== 0) continue;
      this.#tools.delete(term);
      this.#words.get(firstLetter(term))?.delete(term);
    }
  }

  /** The tools that contain a term, with its saturated weight there (0 to 1). */
  toolsWith(term: string): ReadonlyMap<IndexedTool, number> {
    return this.#tools.get(term) ?? noTools;
  }

  /**
   * Words for a word that no tool contains: those that it begins, otherwise those spelled almost like it; at most
   * eight, best first.
   */
  nearWords(word: string): readonly NearWord[] {
    const candidates = [...(this.#words.get(firstLetter(word)) ?? [])];
    const longer = candidates.filter((candidate) => isBeginning(word) && candidate.startsWith(word));
    const near =
      longer.length > 0
        ? longer.map((candidate) => ({ word: candidate, likeness: 0.5 + (0.5 * word.length) / candidate.length }))
        : candidates.flatMap((candidate) => spelledLike(word, candidate));
    return near.sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1)).slice(0, maxNearWords);
  }

  #addTerm(term: string, tools: Map<IndexedTool, number>): void {
    this.#tools.set(term, tools);
    if (term.startsWith('~')) return;
    const letter = firstLetter(term);
    const words = this.#words.get(letter);
    if (words === undefined) this.#words.set(letter, new Set([term]));
    else words.add(term);
  }
}

/** BM25F: occurrences in all fields, weighted by field and diluted by the field's length. */
function termWeights(document: SearchDocument): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  fieldTexts(document).forEach((text, at) => {
    const words = tokenize(text);
    const { weight = 0, lengthPenalty = 0, typicalLength = 1 } = searchFields[at] ?? {};
    const each = weight / (1 - lengthPenalty + (lengthPenalty * words.length) / typicalLength);
    for (const word of words) add(word, each);
  });
  for (const [word, weight] of [...weights]) add(stemTerm(word), weight);
  return weights;
}

function firstLetter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0);
}

/** Two letters begin too many words to mean one; in Han and kana a single character is a word. */
function isBeginning(word: string): boolean {
  return !/^[\u0000-\u024f]{1,2}$/.test(word);
}

/** Typing errors rarely concern the first letter, so only words with the same one are compared. */
function spelledLike(word: string, candidate: string): NearWord[] {
  if (word.length < 4) return [];
  const limit = word.length < 8 ? 1 : 2;
  const distance = editDistance(word, candidate, limit);
  return distance > limit ? [] : [{ word: candidate, likeness: 1 - (0.5 * distance) / limit }];
}
