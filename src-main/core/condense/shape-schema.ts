/** An input schema without its texts: every keyword that constrains arguments stays as the server wrote it. */
import { isObject, type JsonObject } from '../base/json.ts';
import { pointerKeys } from '../base/json-pointer.ts';
import { firstClause, isImpliedBy } from './clauses.ts';

/** Keywords that only explain. */
const texts = new Set([
  ...['title', 'description', 'examples', 'example', '$comment', 'default'],
  ...['markdownDescription', 'enumDescriptions', 'enumNames', 'readOnly', 'writeOnly'],
]);
/** Keywords whose members are schemas under names of the server's choice. */
export const schemaMapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords with a schema, or a list of schemas. */
export const subschemaKeywords: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
]);
/** Keywords that dialects of JSON Schema interpret differently. */
const dialectal = new Set([
  ...['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', 'prefixItems', 'additionalItems'],
  ...['dependencies', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['minContains', 'maxContains'],
]);

/** Maximum length of a parameter's description, and of a default (as JSON), in characters. */
const maxDescriptionLength = 100;
const maxDefaultLength = 20;

/**
 * `lean`: keeps descriptions of parameters whose names are not descriptive, and informative defaults.
 * Unreferenced definitions are removed; referenced ones stay in place.
 */
export function shapeSchema(schema: JsonObject, lean: boolean): JsonObject {
  const shaped = shapeNode(schema, lean ? [] : undefined) as JsonObject;
  const { $schema, ...rest } = shaped;
  return pruned($schema !== undefined && isDialectal(rest) ? { $schema, ...rest } : rest);
}

/** `names`: what the parents of a node already say; undefined: no texts at all. */
function shapeNode(node: unknown, names: readonly string[] | undefined): unknown {
  if (Array.isArray(node)) return node.map((one) => shapeNode(one, names));
  if (!isObject(node)) return node;
  // fromEntries defines own properties, also one called "__proto__".
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (texts.has(key) || (key.startsWith('x-') && key !== 'x-mcp-header')) return [];
    if (schemaMapKeywords.has(key) && isObject(value)) return [[key, shapeMembers(value, names)]];
    return [[key, subschemaKeywords.has(key) ? shapeNode(value, names) : value]];
  });
  return Object.fromEntries(names === undefined ? entries : [...entries, ...wordsOf(node, names)]);
}

function shapeMembers(members: JsonObject, names: readonly string[] | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, shapeNode(member, names && [...names, name])]),
  );
}

/** A whole tool is described outside of its schema. */
function wordsOf(node: JsonObject, names: readonly string[]): [string, unknown][] {
  const { description } = node;
  const text =
    typeof description === 'string' && names.length > 0 ? firstClause(description, maxDescriptionLength) : '';
  const value = node['default'];
  return [
    ...(text === '' || isImpliedBy(text, names) ? [] : ([['description', text]] as [string, unknown][])),
    ...(isMeaningful(value) ? ([['default', value]] as [string, unknown][]) : []),
  ];
}

/** Whether a default is informative; empty ones are expected. */
function isMeaningful(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  return !['', 'null', 'false', '""', '[]', '{}'].includes(text) && text.length <= maxDefaultLength;
}

function isDialectal(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(isDialectal);
  if (!isObject(node)) return false;
  const isTuple = Array.isArray(node['items']);
  const hasNeighbours = Object.hasOwn(node, '$ref') && Object.keys(node).length > 1;
  if (isTuple || hasNeighbours || Object.keys(node).some((key) => dialectal.has(key))) return true;
  return Object.entries(node).some(([key, value]) =>
    schemaMapKeywords.has(key) && isObject(value)
      ? Object.values(value).some(isDialectal)
      : subschemaKeywords.has(key) && isDialectal(value),
  );
}

/** Removes unreachable top-level definitions, unless they might be reached other than by their place. */
function pruned(schema: JsonObject): JsonObject {
  const tables = ['$defs', 'definitions'].filter((key) => isObject(schema[key]));
  if (tables.length === 0) return schema;
  const { $defs: _defs, definitions: _definitions, ...rest } = schema;
  const used = new Set<string>();
  const pending: unknown[] = [rest];
  while (pending.length > 0) {
    for (const reference of referencesIn(pending.pop())) {
      const [table, name] = pointerKeys(reference) ?? ['', ''];
      if (table === undefined) continue;
      if (!tables.includes(table) || name === undefined || !Object.hasOwn(schema[table] as JsonObject, name))
        return schema;
      const at = `${table}/${name}`;
      if (used.has(at)) continue;
      used.add(at);
      pending.push((schema[table] as JsonObject)[name]);
    }
  }
  const result: JsonObject = { ...schema };
  for (const table of tables) {
    const members = Object.entries(schema[table] as JsonObject).filter(
      ([name, member]) => used.has(`${table}/${name}`) || isNamed(member),
    );
    if (members.length === 0) delete result[table];
    else result[table] = Object.fromEntries(members);
  }
  return result;
}

function referencesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(referencesIn);
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    ['$ref', '$dynamicRef', '$recursiveRef'].includes(key) && typeof value === 'string' ? [value] : referencesIn(value),
  );
}

function isNamed(member: unknown): boolean {
  return isObject(member) && ['$id', '$anchor', '$dynamicAnchor'].some((key) => Object.hasOwn(member, key));
}
