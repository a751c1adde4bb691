/** An input schema as one line in MCPProxy's notation: `(path*:str, head:int=10)`; `*` required, `~` something left out. */
import { isObject, type JsonObject } from '../../base/json.ts';

export interface CompactSignature {
  readonly sig: string;
  /** Whether the schema says more than the line does. */
  readonly lossy: boolean;
}

const mostValues = 5;
const longestDefault = 20;
const mostDepth = 3;
const names: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'num',
  boolean: 'bool',
  null: 'null',
};

/** Takes anything; `(~)` for what is no schema of an object. */
export function compactSignature(schema: unknown): CompactSignature {
  if (!isObject(schema)) return { sig: '(~)', lossy: true };
  const { properties = {} } = schema;
  const combined = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if'].some((key) => Object.hasOwn(schema, key));
  if (!isObject(properties) || (combined && Object.keys(properties).length === 0)) return { sig: '(~)', lossy: true };
  const required = (Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []).filter(
    (name): name is string => typeof name === 'string',
  );
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const writer = new Writer(schema);
  const parts = [
    ...[...new Set(required)].map((name) => `${quoted(name)}*:${writer.typeOf(properties[name], 0)}`),
    ...optional
      .sort()
      .map((name) => `${quoted(name)}:${writer.typeOf(properties[name], 0)}${writer.defaultOf(properties[name])}`),
  ];
  return { sig: `(${parts.join(', ')})`, lossy: combined || writer.lossy };
}

class Writer {
  readonly #root: JsonObject;
  lossy = false;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  typeOf(schema: unknown, depth: number): string {
    const node = this.#follow(schema);
    if (!isObject(node) || depth > mostDepth) return this.#collapsed('any');
    if (Object.hasOwn(node, 'const')) return this.#enumOf([node['const']]);
    if (Array.isArray(node['enum'])) return this.#enumOf(node['enum'] as unknown[]);
    const branches = node['anyOf'] ?? node['oneOf'];
    if (Array.isArray(branches)) return this.#union(branches.map((branch) => this.typeOf(branch, depth + 1)));
    const { type } = node;
    if (Array.isArray(type)) return this.#union(type.map((one) => this.#plain(one, node, depth)));
    return this.#plain(type, node, depth);
  }

  defaultOf(schema: unknown): string {
    if (!isObject(schema) || schema['default'] === undefined || schema['default'] === null) return '';
    const text = JSON.stringify(schema['default']);
    if (text.length <= longestDefault) return `=${text}`;
    this.lossy = true;
    return '';
  }

  #plain(type: unknown, node: JsonObject, depth: number): string {
    if (type === 'array') return `[${this.typeOf(node['items'] ?? {}, depth + 1)}]`;
    if (type === 'object' || isObject(node['properties']))
      return isObject(node['properties']) ? this.#collapsed('obj') : 'obj';
    return typeof type === 'string' ? (names[type] ?? this.#collapsed('any')) : 'any';
  }

  #enumOf(values: readonly unknown[]): string {
    const shown = values
      .slice(0, mostValues)
      .map((value) => quoted(typeof value === 'string' ? value : JSON.stringify(value)));
    if (values.length > mostValues) shown.push(this.#collapsed(''));
    return `enum[${shown.join('|')}]`;
  }

  #union(types: readonly string[]): string {
    return [...new Set(types)].slice(0, mostValues).join('|') || 'any';
  }

  #collapsed(type: string): string {
    this.lossy = true;
    return `${type}~`;
  }

  #follow(schema: unknown): unknown {
    const reference = isObject(schema) ? schema['$ref'] : undefined;
    if (typeof reference !== 'string') return schema;
    const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : ['?'];
    return steps.reduce<unknown>(
      (node, step) => (isObject(node) && Object.hasOwn(node, step) ? node[step] : undefined),
      this.#root,
    );
  }
}

/** What could be taken for part of the notation stands in quotes. */
function quoted(text: string): string {
  return /^[\p{L}\p{N}_$./@-]+$/u.test(text) ? text : JSON.stringify(text);
}
