/** A JSON Schema as a short type, in the notation of TypeScript. */

import { isObject, type JsonObject } from '../base/json.ts';

const maxDepth = 3;
const maxValues = 12;
/** Schema nodes read for one tool: a small schema full of references can describe a huge type. */
const maxNodes = 500;

const typeNames: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);

export class TypeText {
  readonly #root: unknown;
  #nodes = 0;

  /** @param root the whole schema, where local references (`#/$defs/…`) point into */
  constructor(root: unknown) {
    this.#root = root;
  }

  /** `path: string, head?: number` */
  parameters(schema: unknown, depth = 0): string {
    const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(
      isObject(schema) && Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [],
    );
    return Object.entries(properties)
      .map(([name, property]) => {
        const shown = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? name : JSON.stringify(name);
        return `${shown}${required.has(name) ? '' : '?'}: ${this.of(property, depth + 1)}`;
      })
      .join(', ');
  }

  /** The type of one value; `any` where the schema does not say. */
  of(schema: unknown, depth = 0): string {
    const node = this.#resolve(schema);
    if (!isObject(node) || (this.#nodes += 1) > maxNodes) return 'any';
    if (Object.hasOwn(node, 'const')) return literal(node['const']);
    if (Array.isArray(node['enum'])) return literals(node['enum'] as unknown[]);
    const branches = node['anyOf'] ?? node['oneOf'];
    if (Array.isArray(branches)) {
      return depth > maxDepth ? 'any' : union(branches.slice(0, maxValues).map((branch) => this.of(branch, depth + 1)));
    }
    const { type } = node;
    return union((Array.isArray(type) ? (type as unknown[]) : [type]).map((one) => this.#plain(one, node, depth)));
  }

  #plain(type: unknown, node: JsonObject, depth: number): string {
    if (type === 'array') {
      const item = depth > maxDepth ? 'any' : this.of(node['items'], depth + 1);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
    }
    if (type !== 'object' && !isObject(node['properties'])) return typeNames.get(type) ?? 'any';
    const inner = depth < maxDepth ? this.parameters(node, depth) : '';
    return inner === '' ? 'object' : `{${inner}}`;
  }

  #resolve(schema: unknown): unknown {
    const reference = isObject(schema) ? schema['$ref'] : undefined;
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
    let node = this.#root;
    for (const step of reference.slice(2).split('/')) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }
    return node;
  }
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'any';
}

function literals(values: readonly unknown[]): string {
  const shown = values.slice(0, maxValues).map(literal);
  return union(values.length > maxValues ? [...shown, '…'] : shown);
}

function literal(value: unknown): string {
  return JSON.stringify(value) ?? 'any';
}
