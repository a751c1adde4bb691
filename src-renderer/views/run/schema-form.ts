/**
 * Derives a form's fields from a JSON schema, and their initial values. Pure. Values without a suitable field are
 * edited as JSON.
 */
import { isRecord } from '../../lib/record.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type FieldKind = 'object' | 'list' | 'choice' | 'flag' | 'number' | 'text' | 'either' | 'json';

/** Maximum number of references followed, because a schema may be recursive. */
const maxReferences = 20;

/** A schema with its references resolved and `allOf` merged. */
export function resolved(schema: unknown, root: Schema): Schema {
  let found = isRecord(schema) ? schema : {};
  for (let step = 0; step < maxReferences && typeof found['$ref'] === 'string'; step++) {
    const { $ref, ...beside } = found;
    found = { ...lookUp(String($ref), root), ...beside };
  }
  const { allOf } = found;
  if (!Array.isArray(allOf) || '$ref' in found) return found;
  const { allOf: _parts, ...own } = found;
  return allOf.map((part) => resolved(part, root)).reduce(joined, own);
}

function joined(left: Schema, right: Schema): Schema {
  const [a, b] = [left['required'], right['required']];
  const required = [...(Array.isArray(a) ? (a as unknown[]) : []), ...(Array.isArray(b) ? (b as unknown[]) : [])];
  const properties = { ...propertiesOf(right), ...propertiesOf(left) };
  return { ...right, ...left, ...(required.length > 0 && { required }), properties };
}

function lookUp(reference: string, root: Schema): Schema {
  let node: unknown = root;
  for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    node = isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return isRecord(node) ? node : {};
}

/** References are URIs, so their segments may be percent-encoded. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export function propertiesOf({ properties }: Schema): Schema {
  return isRecord(properties) ? properties : {};
}

export function isRequired({ required }: Schema, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

/** The alternatives of `oneOf` or `anyOf`; empty if there are none to choose from. */
export function alternativesOf({ oneOf, anyOf }: Schema, root: Schema): readonly Schema[] {
  const ways = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return ways.map((way) => resolved(way, root));
}

/** The values of `enum`, of `const`, or of alternatives with a single value each; undefined if there is no fixed set. */
export function choicesOf(schema: Schema, root: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'] as unknown[];
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  const ways = alternativesOf(schema, root);
  return ways.length > 0 && ways.every((way) => Object.hasOwn(way, 'const'))
    ? ways.map((way) => way['const'])
    : undefined;
}

/** `schema`: as returned by `resolved`. */
export function kindOf(schema: Schema, root: Schema): FieldKind {
  if (choicesOf(schema, root) !== undefined) return 'choice';
  if (alternativesOf(schema, root).length > 0) return 'either';
  const type = typeOf(schema);
  if (type === 'object') return Object.keys(propertiesOf(schema)).length > 0 ? 'object' : 'json';
  if (type === 'array') return isRecord(schema['items']) ? 'list' : 'json';
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'string' ? 'text' : 'json';
}

/** The type that is not null; undefined if there are several, or none and no properties. */
export function typeOf({ type, properties }: Schema): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  if (types.length === 1 && typeof types[0] === 'string') return types[0];
  return type === undefined && isRecord(properties) ? 'object' : undefined;
}

/** Maximum depth of initial values. */
const maxDepth = 8;

/** Initial value: defaults, and minimal values for required members. */
export function startValue(schema: unknown, root: Schema, depth = 0): unknown {
  const found = resolved(schema, root);
  if (Object.hasOwn(found, 'default')) return found['default'];
  const choices = choicesOf(found, root);
  if (choices !== undefined) return choices[0];
  const kind = kindOf(found, root);
  if (kind === 'either') return startValue(alternativesOf(found, root)[0], root, depth + 1);
  if (typeOf(found) === 'object') return startObject(found, root, depth);
  if (typeOf(found) === 'array') {
    const least = typeof found['minItems'] === 'number' && depth < maxDepth ? Math.min(found['minItems'], 50) : 0;
    return Array.from({ length: least }, () => startValue(found['items'], root, depth + 1));
  }
  if (kind === 'flag') return false;
  if (kind === 'number') return startNumber(found);
  return kind === 'text' ? '' : Array.isArray(found['type']) && found['type'].includes('null') ? null : '';
}

function startNumber({ minimum, exclusiveMinimum, maximum }: Schema): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' && maximum < 0 ? maximum : 0;
}

function startObject(schema: Schema, root: Schema, depth: number): Schema {
  const entries = Object.entries(propertiesOf(schema)).filter(
    ([name, property]) => isRequired(schema, name) || Object.hasOwn(resolved(property, root), 'default'),
  );
  if (depth >= maxDepth) return {};
  return Object.fromEntries(entries.map(([name, property]) => [name, startValue(property, root, depth + 1)]));
}

/** Returns `value` with the member set, or without it if `member` is undefined. */
export function withMember(value: unknown, name: string, member: unknown): Schema {
  const { [name]: _old, ...others } = isRecord(value) ? value : {};
  if (member === undefined) return others;
  return isRecord(value) && Object.hasOwn(value, name) ? { ...value, [name]: member } : { ...others, [name]: member };
}

/** Parses a user's text as an object, or returns the problem. */
export function readObject(text: string): { readonly value: Schema } | { readonly problem: string } {
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? { value } : { problem: 'Arguments must be a JSON object.' };
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
