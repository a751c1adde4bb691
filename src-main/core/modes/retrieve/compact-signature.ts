/**
 * An input schema as one line in MCPProxy's notation: `(path*:str, region*~:str, head:int=10)`; `*` required, `~` something left
 * out. Source: the grammar in its spec 085, with the worked examples E1 to E11 that its own tests hold.
 */
import { isObject, type JsonObject } from '../../base/json.ts';

export interface CompactSignature {
  readonly sig: string;
  /** Whether the schema says more than the line does: so wherever a `~` stands in it. */
  readonly lossy: boolean;
}

interface TypeText {
  readonly text: string;
  readonly lossy: boolean;
}

const mostValues = 5;
const longestDefault = 20;
/** References that lead to references. */
const mostSteps = 8;
const scalars: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'num', boolean: 'bool' };

/** Takes anything; `(~)` for what is no schema of an object. */
export function compactSignature(schema: unknown): CompactSignature {
  if (!isObject(schema) || (typeof schema['type'] === 'string' && schema['type'] !== 'object')) return unreadable;
  const { properties = {} } = schema;
  // Theirs leaves these out, and a tool that takes something looks like one that takes nothing.
  const combined = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if'].some((key) => Object.hasOwn(schema, key));
  if (!isObject(properties) || (combined && Object.keys(properties).length === 0)) return unreadable;
  const named = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const required = [...new Set(named.filter((name): name is string => typeof name === 'string'))];
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const parts = [
    ...required.map((name) => parameter(name, ownValue(properties, name), schema, true)),
    ...optional.sort().map((name) => parameter(name, properties[name], schema, false)),
    ...(combined ? ['~'] : []),
  ];
  const sig = `(${parts.join(', ')})`;
  return { sig, lossy: sig.includes('~') };
}

const unreadable: CompactSignature = { sig: '(~)', lossy: true };

/** A required name is never left away, whatever is known of it. */
function parameter(name: string, schema: unknown, root: JsonObject, required: boolean): string {
  const followed = followReference(schema, root);
  const { text, lossy } = typeOf(followed);
  const usual = required ? '' : defaultOf(followed, text);
  return `${atom(name)}${required ? '*' : ''}${lossy ? '~' : ''}:${text}${usual}`;
}

function typeOf(schema: unknown): TypeText {
  if (!isObject(schema)) return { text: 'any', lossy: true };
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) return valuesOf(values as unknown[], schema);
  if (schema['type'] !== undefined) return declared(schema);
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches)) return branchesOf(branches as unknown[]);
  return { text: '$ref' in schema || 'properties' in schema ? 'obj' : 'any', lossy: true };
}

/** A few values as they are; of many only what they are. */
function valuesOf(values: readonly unknown[], schema: JsonObject): TypeText {
  const literals = values.map(literalOf);
  const isShort = literals.length > 0 && literals.length <= mostValues && literals.every((one) => one !== undefined);
  if (isShort) return { text: `enum[${literals.map((literal) => atom(literal ?? '')).join('|')}]`, lossy: false };
  return { text: schema['type'] === undefined ? 'any' : declared(schema).text, lossy: true };
}

function declared({ type, items }: JsonObject): TypeText {
  if (Array.isArray(type)) return union(type as unknown[]);
  if (type !== 'array') return single(type);
  const { text } = isObject(items) && typeof items['type'] === 'string' ? single(items['type']) : single(undefined);
  const isMore = isObject(items) && ('enum' in items || 'const' in items);
  return { text: `[${text}]`, lossy: isMore || !isScalar(text) };
}

function single(type: unknown): TypeText {
  const scalar = typeof type === 'string' ? scalars[type] : undefined;
  if (scalar !== undefined) return { text: scalar, lossy: false };
  return { text: type === 'object' ? 'obj' : 'any', lossy: true };
}

/** What may be null may as well be left away. */
function union(types: readonly unknown[]): TypeText {
  const texts = [...new Set(types.filter((type) => type !== 'null').map((type) => single(type).text))];
  if (texts.length === 0) return { text: 'any', lossy: true };
  return { text: texts.join('|'), lossy: !texts.every(isScalar) };
}

/** Alternatives that are types and nothing more; others are an object of some kind. */
function branchesOf(branches: readonly unknown[]): TypeText {
  const types = branches.map((branch) => (isObject(branch) ? branch['type'] : undefined));
  if (!types.every((type) => typeof type === 'string')) return { text: 'obj', lossy: true };
  const isMore = branches.some((branch) => isObject(branch) && ('enum' in branch || 'const' in branch));
  const { text, lossy } = union(types);
  return { text, lossy: lossy || isMore };
}

function isScalar(text: string): boolean {
  return Object.values(scalars).includes(text);
}

function defaultOf(schema: unknown, text: string): string {
  if (!isObject(schema) || !isScalar(text) || schema['default'] === undefined) return '';
  const literal = literalOf(schema['default']);
  return literal === undefined || [...literal].length > longestDefault ? '' : `=${atom(literal)}`;
}

/** undefined for what is no single value. */
function literalOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isObject(value) || Array.isArray(value) ? undefined : JSON.stringify(value);
}

/** What could be taken for part of the notation stands in quotes. */
function atom(text: string): string {
  return text !== '' && !/[ ,:|=()*~[\]"]/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** What a reference inside of the schema leads to; what leads nowhere, or in a circle, stays a reference. */
function followReference(schema: unknown, root: JsonObject): unknown {
  let node = schema;
  for (let step = 0; step < mostSteps; step++) {
    const reference = isObject(node) ? node['$ref'] : undefined;
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return node;
    const keys = reference.slice(2).split('/');
    node = keys.reduce<unknown>((inner, key) => (isObject(inner) ? ownValue(inner, key) : undefined), root);
    if (node === undefined) return schema;
  }
  return schema;
}

function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
