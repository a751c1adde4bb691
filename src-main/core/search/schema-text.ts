/** The searchable text of an input schema: parameter names apart from what is said about them. */

import { isObject } from '../base/json.ts';

export interface SchemaText {
  readonly names: readonly string[];
  /** Descriptions and enum values. */
  readonly texts: readonly string[];
}

/** Bounds for schemas that are huge by accident or by intent. */
const maxNodes = 2_000;
const maxDepth = 8;

/** Takes anything; what is not a JSON Schema has no text. */
export function schemaText(schema: unknown): SchemaText {
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
