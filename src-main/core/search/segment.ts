/** The tools of one server, read into words once: for every term the tools that hold it, with what it says there (BM25F). */
import { isObject, textOr } from '../base/json.ts';
import { tokenize } from './words.ts';

export interface Segment {
  /** Numbers of words and stems. */
  readonly terms: Uint32Array;
  /** First posting of each term, and the end of the last. */
  readonly start: Uint32Array;
  /** Place of the tool in its server's list; ascending within a term. */
  readonly document: Uint32Array;
  /** Saturated weight of the term in the document, 0 to 1. */
  readonly impact: Float32Array;
  /** Bit per field the term occurs in. */
  readonly fields: Uint8Array;
}

/** A term in one document. */
interface Entry {
  /** Place among the server's terms. */
  readonly term: number;
  readonly document: number;
  weight: number;
  fields: number;
}

/** Numbers of words and stems, for the whole index. */
interface Numbers {
  ofWord(word: string): number;
  /** `number` is that of the word. */
  ofStem(number: number, word: string): number;
}

export function readSegment(documents: readonly SearchDocument[], ranking: Ranking, numbers: Numbers): Segment {
  /** By number the newest entry of each term: of this document, or of one before. */
  const newest = new Map<number, Entry>();
  const entries: Entry[] = [];
  documents.forEach((document, place) => {
    const count = (number: number, worth: number, field: number): void => {
      const entry = newest.get(number);
      if (entry?.document === place) {
        entry.weight += worth;
        entry.fields |= 1 << field;
        return;
      }
      const made = { term: entry?.term ?? newest.size, document: place, weight: worth, fields: 1 << field };
      newest.set(number, made);
      entries.push(made);
    };
    documentFields(document).forEach((text, field) => {
      const words = tokenize(text);
      const worth = occurrenceWorth(field, words.length, ranking);
      for (const word of words) {
        const number = numbers.ofWord(word);
        count(number, worth, field);
        count(numbers.ofStem(number, word), worth, field);
      }
    });
  });
  return sortByTerm(Uint32Array.from(newest.keys()), entries, ranking.k1);
}

/** What one occurrence in a field weighs: the field's weight, thinned by its length. */
function occurrenceWorth(field: number, length: number, ranking: Ranking): number {
  const penalty = ranking.lengthPenalty[field] ?? 0;
  const relative = length / (ranking.typicalLengths[field] ?? 1);
  return (ranking.weights[field] ?? 0) / (1 - penalty + penalty * relative);
}

function sortByTerm(terms: Uint32Array, entries: readonly Entry[], k1: number): Segment {
  const start = new Uint32Array(terms.length + 1);
  for (const { term } of entries) start[term + 1] = (start[term + 1] ?? 0) + 1;
  for (let term = 1; term <= terms.length; term += 1) start[term] = (start[term] ?? 0) + (start[term - 1] ?? 0);
  const next = start.slice();
  const document = new Uint32Array(entries.length);
  const impact = new Float32Array(entries.length);
  const fields = new Uint8Array(entries.length);
  for (const entry of entries) {
    const posting = next[entry.term] ?? 0;
    next[entry.term] = posting + 1;
    document[posting] = entry.document;
    impact[posting] = entry.weight / (k1 + entry.weight);
    fields[posting] = entry.fields;
  }
  return { terms, start, document, impact, fields };
}

// The text of one document by field, in the order of `fieldNames`.

/** Characters of one field that are read; more is a manual, not a description. */
const maxFieldLength = 20_000;

function documentFields(document: SearchDocument): string[] {
  const description = textOr(document.description).slice(0, maxFieldLength);
  const end = firstSentenceEnd(description);
  const schema = schemaText(document.inputSchema);
  return [
    document.name,
    document.server,
    textOr(document.title),
    description.slice(0, end),
    description.slice(end),
    schema.names.join(' '),
    schema.texts.join('\n'),
  ].map((text) => text.slice(0, maxFieldLength));
}

function firstSentenceEnd(text: string): number {
  const end = /[.!?](?=\s|$)|[。！？]|\S(?=\s*\n\s*\n)/.exec(text.trimEnd());
  return end === null ? text.length : end.index + 1;
}

// The searchable text of an input schema: parameter names apart from what is said about them.

interface SchemaText {
  readonly names: readonly string[];
  /** Descriptions and enum values. */
  readonly texts: readonly string[];
}

/** Bounds for schemas that are huge by accident or by intent. */
const maxNodes = 2_000;
const maxDepth = 8;

/** Takes anything; what is not a JSON Schema has no text. */
function schemaText(schema: unknown): SchemaText {
  const names: string[] = [];
  const texts: string[] = [];
  let nodes = 0;

  function visit(node: unknown, depth: number): void {
    if (!isObject(node) || depth > maxDepth || (nodes += 1) > maxNodes) return;
    if (depth > 0 && typeof node['description'] === 'string') texts.push(node['description']);
    for (const value of [node['const'], ...listOf(node['enum'])]) if (typeof value === 'string') texts.push(value);
    if (isObject(node['properties'])) {
      for (const [name, property] of Object.entries(node['properties'])) {
        names.push(name);
        visit(property, depth + 1);
      }
    }
    for (const branch of ['anyOf', 'oneOf', 'allOf', 'items']) {
      for (const child of listOf(node[branch])) visit(child, depth + 1);
    }
  }

  visit(schema, 0);
  return { names, texts };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, maxNodes) : [value];
}

/** What the index knows of one tool; everything but the names may be missing or malformed. */
export interface SearchDocument {
  /** Unique in the whole index; the canonical `server:tool`. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

// The fields of a document and what a word in each of them weighs (BM25F).

/** Order matters: it is that of every list by field, and the bit order of field masks. */
export const fieldNames = ['name', 'server', 'title', 'summary', 'description', 'parameter', 'parameter text'] as const;

export interface Ranking {
  /** By field, in the order of `fieldNames`. */
  readonly weights: readonly number[];
  /** How much a long field dilutes its words (0: not at all, 1: fully), by field. */
  readonly lengthPenalty: readonly number[];
  /**
   * Words in a field of an ordinary tool, as the listings of real servers have them. Lengths are compared with these and
   * not with the catalog's own: a tool weighs the same whatever else is there, so a change of one server touches no other.
   */
  readonly typicalLengths: readonly number[];
  /** Saturation: how soon more of the same word stops counting. */
  readonly k1: number;
  /** Weight of a word's exact form beside its stem (1). */
  readonly exactForm: number;
}

export const defaultRanking: Ranking = {
  weights: [6, 2.5, 1, 1.5, 0.6, 0.3, 0.35],
  lengthPenalty: [0.4, 0, 0.3, 0.5, 0.6, 0.5, 0.7],
  typicalLengths: [3, 2.5, 1, 12, 20, 5, 40],
  k1: 1.2,
  exactForm: 0.5,
};
