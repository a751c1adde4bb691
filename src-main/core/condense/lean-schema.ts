/** A schema for lists: without what a model does not need to write arguments. An argument error returns the rest. */
import { isObject, type JsonObject } from '../base/json.ts';
import { firstClause } from './clauses.ts';
import { schemaMapKeywords, subschemaKeywords } from './shape-schema.ts';

/** Maximum length of a parameter's description, and of that of a nested or optional one, in characters. */
const maxDescriptionLength = 100;
const maxNestedDescriptionLength = 60;
/** Greater numbers are a language's limit, not the server's. */
const unlimited = Number.MAX_SAFE_INTEGER;
/** A limit of this length is never reached by accident. */
const minOmittedMaxLength = 100;

/**
 * `schema`: from shapeSchema. The remaining schema accepts everything that the whole one does; inside of
 * `not`, `if` and `oneOf`, where removing would accept less, no constraint is removed.
 */
export function leanSchema(schema: JsonObject): JsonObject {
  // These keywords depend on the members next to them.
  const isStrict = JSON.stringify(schema).includes('"unevaluated');
  return leanNode(schema, { isStrict, isJoined: false, depth: 0, isRequired: true }) as JsonObject;
}

interface Place {
  /** Whether constraints must stay. */
  readonly isStrict: boolean;
  /** Whether it applies together with other schemas. */
  readonly isJoined: boolean;
  readonly depth: number;
  readonly isRequired: boolean;
}

function leanNode(node: unknown, place: Place): unknown {
  if (Array.isArray(node)) return node.map((one) => leanNode(one, place));
  if (!isObject(node)) return node;
  const entries = Object.entries(node).filter(
    ([key, value]) =>
      place.isStrict || !(isFormality(key, value) || (key === 'additionalProperties' && isSaid(node, place))),
  );
  const inner = { ...place, depth: place.depth + 1 };
  const required = Array.isArray(node['required']) ? (node['required'] as unknown[]) : [];
  const members = entries.map(([key, value]): [string, unknown] => {
    if (key === 'description') return [key, typeof value === 'string' ? shorter(value, place) : value];
    if (schemaMapKeywords.has(key) && isObject(value)) {
      const isJoined = place.isJoined || key !== 'properties';
      return [key, leanMembers(value, { ...inner, isJoined }, key === 'properties' ? required : [])];
    }
    if (!subschemaKeywords.has(key)) return [key, value];
    const isStrict = place.isStrict || key === 'not' || key === 'if' || key === 'oneOf';
    const isJoined = place.isJoined || combining.includes(key);
    return [key, leanNode(saidOnce(value, node['description']), { ...place, isStrict, isJoined })];
  });
  return Object.fromEntries(members);
}

function leanMembers(members: JsonObject, place: Place, required: readonly unknown[]): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      leanNode(member, { ...place, isRequired: required.includes(name) }),
    ]),
  );
}

/** Whether a keyword accepts any arguments, or is a limit that no argument reaches. */
function isFormality(key: string, value: unknown): boolean {
  switch (key) {
    case 'additionalProperties':
      return value === true || isEmpty(value);
    case 'properties':
      return isEmpty(value);
    case 'propertyNames':
      return JSON.stringify(value) === '{"type":"string"}';
    case 'minLength':
      return value === 0 || value === 1;
    case 'maxLength':
      return Number(value) >= minOmittedMaxLength;
    case 'minimum':
    case 'exclusiveMinimum':
      return typeof value === 'number' && value <= -unlimited;
    case 'maximum':
    case 'exclusiveMaximum':
      return typeof value === 'number' && value >= unlimited;
    default:
      return false;
  }
}

/** Keywords with schemas for the same value. */
const combining = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/** Whether the keyword only excludes unnamed members: models do not invent members if names are listed. */
function isSaid(node: JsonObject, { isJoined }: Place): boolean {
  const { additionalProperties, properties } = node;
  if (additionalProperties !== false || isJoined || !isObject(properties) || isEmpty(properties)) return false;
  const others = [...combining, '$ref', 'patternProperties', 'propertyNames', 'minProperties'];
  return !Object.hasOwn(properties, '__proto__') && others.every((key) => !Object.hasOwn(node, key));
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function shorter(text: string, { depth, isRequired }: Place): string {
  const clause = firstClause(text, depth <= 1 && isRequired ? maxDescriptionLength : maxNestedDescriptionLength);
  // Used if the short text is not a complete clause.
  return clause.endsWith('…') ? firstClause(text, maxDescriptionLength) : clause;
}

/** Omits descriptions in branches that repeat the description above them. */
function saidOnce(value: unknown, description: unknown): unknown {
  if (!Array.isArray(value) || typeof description !== 'string') return value;
  return value.map((branch: unknown) => {
    if (!isObject(branch) || branch['description'] !== description) return branch;
    const { description: _said, ...rest } = branch;
    return rest;
  });
}
