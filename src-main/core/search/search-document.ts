/** Splits what is known of a tool into the fields that are searched, each with its own weight (BM25F). */
import { isObject, textOrEmpty } from '../base/json.ts';

/** A tool as the index knows it; everything but the names may be missing or malformed. */
export interface SearchDocument {
  /** Unique in the whole index; the canonical `server:tool`. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

export interface Field {
  readonly name: string;
  /** Weight of one occurrence of a word. */
  readonly weight: number;
  /** How much a long text dilutes its words (0: not at all, 1: fully). */
  readonly lengthPenalty: number;
  /**
   * Words in this field of an ordinary tool. Lengths are compared with these and not with the catalog's own average, so
   * that a change of one server changes the weight of no other server's tools.
   */
  readonly typicalLength: number;
}

/** All fields, in the order in which a match is explained. Tuned on the tuning halves of `npm run bench -- search`. */
export const searchFields: readonly Field[] = [
  { name: 'name', weight: 6, lengthPenalty: 0.4, typicalLength: 3 },
  { name: 'server', weight: 2.5, lengthPenalty: 0, typicalLength: 2.5 },
  { name: 'title', weight: 1, lengthPenalty: 0.3, typicalLength: 1 },
  { name: 'summary', weight: 1.5, lengthPenalty: 0.5, typicalLength: 12 },
  { name: 'description', weight: 0.6, lengthPenalty: 0.6, typicalLength: 20 },
  { name: 'parameter', weight: 0.3, lengthPenalty: 0.5, typicalLength: 5 },
  { name: 'parameter text', weight: 0.35, lengthPenalty: 0.7, typicalLength: 40 },
];

/** Characters of one field that are indexed; a longer text is a manual, not a description. */
const maxFieldLength = 20_000;

/** The texts of a tool, in the order of `searchFields`. */
export function fieldTexts(document: SearchDocument): readonly string[] {
  const description = textOrEmpty(document.description).slice(0, maxFieldLength);
  const end = firstSentenceEnd(description);
  const schema = schemaText(document.inputSchema);
  return [
    document.name,
    document.server,
    textOrEmpty(document.title),
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

interface SchemaText {
  /** Names of parameters. */
  readonly names: readonly string[];
  /** Descriptions and enum values. */
  readonly texts: readonly string[];
}

/** Limits for schemas that are huge by accident or by intent. */
const maxNodes = 2_000;
const maxDepth = 8;

/** Accepts any value; what is not a JSON Schema has no text. */
function schemaText(schema: unknown): SchemaText {
  const names: string[] = [];
  const texts: string[] = [];
  let nodes = 0;

  function collect(node: unknown, depth: number): void {
    if (!isObject(node) || depth > maxDepth || (nodes += 1) > maxNodes) return;
    if (depth > 0 && typeof node['description'] === 'string') texts.push(node['description']);
    for (const value of [node['const'], ...listOf(node['enum'])]) if (typeof value === 'string') texts.push(value);
    if (isObject(node['properties'])) {
      for (const [name, property] of Object.entries(node['properties'])) {
        names.push(name);
        collect(property, depth + 1);
      }
    }
    for (const branch of ['anyOf', 'oneOf', 'allOf', 'items']) {
      for (const child of listOf(node[branch])) collect(child, depth + 1);
    }
  }

  collect(schema, 0);
  return { names, texts };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, maxNodes) : [value];
}
