/**
 * Makes schemas acceptable to model providers, many of which refuse the whole list of tools for one invalid keyword at
 * any depth. A valid schema stays the same object. Source: JSON Schema 2020-12, Validation.
 */
import { isObject, type JsonObject, toPlainNumber } from '../../base/json.ts';

/** Deeper or larger schemas stay unchanged. */
const maxDepth = 64;
const maxNodes = 20_000;

/** Names that servers use instead of the standard type names. */
const typeNames: ReadonlyMap<string, string> = new Map([
  ...['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'].map((name) => [name, name] as const),
  ...(['int', 'int32', 'int64', 'long'] as const).map((name) => [name, 'integer'] as const),
  ...(['float', 'double', 'decimal', 'numeric'] as const).map((name) => [name, 'number'] as const),
  ...(['str', 'text'] as const).map((name) => [name, 'string'] as const),
  ...(['dict', 'map', 'record', 'struct'] as const).map((name) => [name, 'object'] as const),
  ...(['list', 'tuple', 'set'] as const).map((name) => [name, 'array'] as const),
  ['bool', 'boolean'],
  ['none', 'null'],
]);

const schemaKeys = [
  ...['items', 'additionalProperties', 'additionalItems', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const listKeys = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const mapKeys = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const numberKeys = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const textKeys = ['$ref', '$schema', '$id', '$anchor', '$comment', 'title', 'description', 'pattern', 'format'];

/** Returns a schema without invalid keyword values. */
export function acceptableSchema(schema: JsonObject): JsonObject {
  try {
    return new Repair().schema(schema, 0) as JsonObject;
  } catch (error) {
    if (error instanceof TooLarge) return schema;
    throw error;
  }
}

class TooLarge extends Error {}

class Repair {
  #nodes = 0;

  /** Undefined for a value that is not a schema. */
  schema(node: unknown, depth: number): unknown {
    if (typeof node === 'boolean') return node;
    if (!isObject(node)) return undefined;
    if ((this.#nodes += 1) > maxNodes || depth > maxDepth) throw new TooLarge();
    const changed = new Map<string, unknown>();
    const fit = (key: string, fitted: unknown): void => {
      if (node[key] !== undefined && fitted !== node[key]) changed.set(key, fitted);
    };
    fit('type', typeOf(node['type']));
    fit('enum', Array.isArray(node['enum']) && node['enum'].length > 0 ? node['enum'] : undefined);
    for (const key of textKeys) fit(key, typeof node[key] === 'string' ? node[key] : undefined);
    for (const key of numberKeys) fit(key, typeof toPlainNumber(node[key]) === 'number' ? node[key] : undefined);
    for (const key of schemaKeys) fit(key, this.#oneOrList(key, node[key], depth));
    for (const key of listKeys) fit(key, this.#list(node[key], depth));
    for (const key of mapKeys) fit(key, this.#map(node[key], depth));
    this.#exclusive(node, 'exclusiveMinimum', 'minimum', changed);
    this.#exclusive(node, 'exclusiveMaximum', 'maximum', changed);
    const required = requiredOf(node);
    if (required !== node['required']) changed.set('required', required);
    return changed.size === 0 ? node : replaced(node, changed);
  }

  /** Before draft 2020-12, tuples are a list of schemas. */
  #oneOrList(key: string, value: unknown, depth: number): unknown {
    return key === 'items' && Array.isArray(value) ? this.#list(value, depth) : this.schema(value, depth + 1);
  }

  #list(value: unknown, depth: number): unknown {
    if (!Array.isArray(value)) return undefined;
    const fitted = (value as unknown[]).map((one) => this.schema(one, depth + 1));
    if (fitted.every((one, at) => one === (value as unknown[])[at])) return value.length > 0 ? value : undefined;
    const accepted = fitted.filter((one) => one !== undefined);
    return accepted.length > 0 ? accepted : undefined;
  }

  #map(value: unknown, depth: number): unknown {
    if (!isObject(value)) return undefined;
    const changed = new Map<string, unknown>();
    for (const [name, member] of Object.entries(value)) {
      // A parameter without a valid schema accepts anything.
      const fitted = this.schema(member, depth + 1) ?? {};
      if (fitted !== member) changed.set(name, fitted);
    }
    return changed.size === 0 ? value : replaced(value, changed);
  }

  /** Draft 4 writes `minimum: 3, exclusiveMinimum: true` for `exclusiveMinimum: 3` of draft 6. */
  #exclusive(node: JsonObject, exclusive: string, bound: string, changed: Map<string, unknown>): void {
    const value = node[exclusive];
    if (value === undefined || typeof toPlainNumber(value) === 'number') return;
    const isBound = value === true && typeof toPlainNumber(node[bound]) === 'number';
    changed.set(exclusive, isBound ? node[bound] : undefined);
    if (isBound) changed.set(bound, undefined);
  }
}

function typeOf(type: unknown): unknown {
  const named = (name: unknown): string | undefined =>
    typeof name === 'string' ? typeNames.get(name.toLowerCase()) : undefined;
  if (!Array.isArray(type)) return named(type);
  const names = [...new Set((type as unknown[]).map(named).filter((name) => name !== undefined))];
  if (names.length === 0) return undefined;
  return names.length === type.length && names.every((name, at) => name === (type as unknown[])[at]) ? type : names;
}

/** A list of names, plus the properties marked as required in the style of draft 3. */
function requiredOf(node: JsonObject): unknown {
  const { required, properties } = node;
  const members = isObject(properties) ? Object.entries(properties) : [];
  const own = members.flatMap(([name, one]) => (isObject(one) && one['required'] === true ? [name] : []));
  const given = Array.isArray(required) ? (required as unknown[]) : [];
  const names = [...new Set([...given.filter((name) => typeof name === 'string'), ...own])];
  if (names.length === given.length && Array.isArray(required)) return required;
  return names.length === 0 && !Array.isArray(required) ? undefined : names;
}

/** Uses entries, so that a property called `__proto__` stays one. */
function replaced(value: JsonObject, changed: ReadonlyMap<string, unknown>): JsonObject {
  const entries = Object.entries(value).map(([key, member]) => [key, changed.has(key) ? changed.get(key) : member]);
  const added = [...changed].filter(([key]) => !Object.hasOwn(value, key));
  return Object.fromEntries([...entries, ...added].filter(([, member]) => member !== undefined)) as JsonObject;
}
