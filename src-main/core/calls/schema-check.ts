/**
 * Validates values against JSON Schemas of servers in bounded time and memory, because it runs in the core's thread
 * and both inputs are foreign. What would cost too much is left to the server.
 */
import type { OutputUnit, Schema, SchemaDraft } from '@cfworker/json-schema';
import { isObject, type JsonObject } from '../base/json.ts';
import { referredBy } from '../base/json-pointer.ts';

/**
 * Maximum number of schema nodes with references followed; `$defs` that reference each other twice grow exponentially.
 */
const maxNodes = 5000;
/** A schema nested deeper is not checked. */
const maxDepth = 64;
/** Maximum of schema nodes times values. 50,000 take 10 to 40 ms on a laptop. */
const maxCost = 50_000;
/** Up to this cost all violations are collected, above it only the first one. */
const maxCostOfAll = 5000;

/** A violation of a schema. */
export interface Misfit {
  readonly keyword: string;
  /** `a.b.0`; empty for the root value. */
  readonly path: string;
  /** The property in question, for `required` and `additionalProperties`. */
  readonly property?: string;
  /** The violation, worded to follow the path. */
  readonly text: string;
}

interface Prepared {
  /** Contains no external references, no recursion, and no keywords of unbounded cost. */
  readonly schema: Schema;
  readonly nodes: number;
  readonly draft: SchemaDraft;
}

/** Prepares each schema at its first use. The prepared form lives as long as the schema object. */
export class SchemaChecker {
  readonly #prepared = new WeakMap<JsonObject, Prepared | 'unbounded'>();

  /**
   * Returns where `value` (JSON with plain numbers) violates the schema; empty if the schema or the size cannot be
   * checked.
   */
  async misfits(schema: JsonObject, value: JsonObject): Promise<readonly Misfit[]> {
    const prepared = this.#prepare(schema);
    if (prepared === 'unbounded') return [];
    const values = weightOf(value, maxCost / prepared.nodes);
    if (values * prepared.nodes > maxCost) return [];
    // Loaded at the first check, so that the core starts faster.
    const { validate, dereference } = await import('@cfworker/json-schema');
    try {
      const lookup = dereference(prepared.schema);
      const { valid, errors } = validate(value, prepared.schema, prepared.draft, lookup, true);
      if (valid) return [];
      const isSmall = values * prepared.nodes <= maxCostOfAll;
      const all = isSmall ? validate(value, prepared.schema, prepared.draft, lookup, false).errors : errors;
      return leaves(all).map(misfitOf);
    } catch {
      return [];
    }
  }

  #prepare(schema: JsonObject): Prepared | 'unbounded' {
    const known = this.#prepared.get(schema);
    if (known !== undefined) return known;
    const nodes = new Walk(schema).nodes();
    const made =
      nodes === undefined ? 'unbounded' : { schema: stripped(schema) as Schema, nodes, draft: draftOf(schema) };
    this.#prepared.set(schema, made);
    return made;
  }
}

/** Draft 4 has booleans for `exclusiveMinimum`, drafts up to 7 lists for `items`. */
function draftOf({ $schema }: JsonObject): SchemaDraft {
  if (typeof $schema !== 'string') return '2020-12';
  if ($schema.includes('draft-04')) return '4';
  if (/draft-0[67]/.test($schema)) return '7';
  return $schema.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Whether a value is small enough for any schema. The cost of this check is bounded. */
export function isCheckable(value: unknown): boolean {
  return weightOf(value, maxCost) <= maxCost;
}

/** Number of values in `value`, with long texts counted as several; a number above `limit` only means "more". */
function weightOf(value: unknown, limit: number): number {
  let weight = 0;
  const stack: unknown[] = [value];
  while (stack.length > 0 && weight <= limit) {
    const next = stack.pop();
    weight += typeof next === 'string' ? 1 + next.length / 100 : 1;
    if (Array.isArray(next)) weight += pushAll(stack, next, limit - weight);
    else if (isObject(next)) weight += pushAll(stack, Object.values(next), limit - weight);
  }
  return weight;
}

/** Returns whether `values` are more than may be examined. */
function pushAll(stack: unknown[], values: readonly unknown[], remaining: number): number {
  if (values.length > remaining) return values.length;
  for (const value of values) stack.push(value);
  return 0;
}

// Whether a schema can be checked: small with every reference followed, not recursive, and well formed where it
// matters.

/** Keywords whose cost depends on the value or on a pattern of the server. */
const unbounded = ['patternProperties', '$dynamicRef', '$recursiveRef'] as const;
/** Keywords left to the server: a pattern can block the core, and so can comparing every item with every other. */
const stripKeys: ReadonlySet<string> = new Set(['pattern', 'format', 'uniqueItems', '$id', 'id', '$schema', '$anchor']);
/** Keywords that contain no schemas. */
const asides: ReadonlySet<string> = new Set(['default', 'examples', 'title', 'description', '$comment']);
const values: ReadonlySet<string> = new Set(['enum', 'const', 'required', 'dependentRequired']);
/** Keywords whose members are schemas under names that the server chose. */
const maps: ReadonlySet<string> = new Set(['properties', 'dependentSchemas', '$defs', 'definitions']);
const definitions: ReadonlySet<string> = new Set(['$defs', 'definitions']);
const typeNames: ReadonlySet<unknown> = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
const numeric = /^(?:min|max)[A-Z]|^(?:min|max)imum$|^exclusive|^multipleOf$/;

class Walk {
  readonly #root: JsonObject;
  #nodes = 0;
  #own = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Number of nodes; undefined for a schema that cannot be checked. */
  nodes(): number | undefined {
    return this.#isUsable(this.#root, []) && this.#isSmall(this.#root, 0) ? this.#nodes : undefined;
  }

  #isUsable(node: unknown, above: readonly unknown[]): boolean {
    if ((this.#nodes += 1) > maxNodes || above.length > maxDepth) return false;
    if (Array.isArray(node)) return node.every((item) => this.#isUsable(item, above));
    if (!isObject(node)) return true;
    // References below a nested `$id` are relative to it.
    if (above.includes(node) || (node !== this.#root && Object.hasOwn(node, '$id'))) return false;
    if (unbounded.some((key) => Object.hasOwn(node, key)) || !isWellFormed(node)) return false;
    const path = [...above, node];
    return Object.entries(node).every(([key, value]) => {
      if (asides.has(key) || definitions.has(key) || stripKeys.has(key)) return true;
      if (key === '$ref') return this.#isUsableReference(value, path);
      if (values.has(key)) return this.#count(value);
      if (maps.has(key) && isObject(value)) return Object.values(value).every((one) => this.#isUsable(one, path));
      return this.#isUsable(value, path);
    });
  }

  #count(value: unknown): boolean {
    this.#nodes += weightOf(value, maxNodes);
    return this.#nodes <= maxNodes;
  }

  #isUsableReference(reference: unknown, path: readonly unknown[]): boolean {
    const node = referredBy(this.#root, reference);
    return node !== undefined && this.#isUsable(node, path);
  }

  /** Unreferenced definitions count, too. */
  #isSmall(node: unknown, depth: number): boolean {
    if ((this.#own += 1) > 4 * maxNodes || depth > 2 * maxDepth) return false;
    const inner = Array.isArray(node) ? node : isObject(node) ? Object.values(node) : [];
    return inner.every((one) => this.#isSmall(one, depth + 1));
  }
}

function isWellFormed(node: JsonObject): boolean {
  const { type, items, required } = node;
  const types = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type];
  const hasNumbers = Object.entries(node).every(([key, value]) => !numeric.test(key) || typeof value === 'number');
  return types.every((one) => typeNames.has(one)) && !Array.isArray(items) && isListOrMissing(required) && hasNumbers;
}

function isListOrMissing(value: unknown): boolean {
  return value === undefined || Array.isArray(value);
}

function stripped(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => stripped(item));
  if (!isObject(node)) return node;
  const remaining = Object.entries(node).filter(([key]) => isMap || (!stripKeys.has(key) && !asides.has(key)));
  return Object.fromEntries(
    remaining.map(([key, value]) => [
      key,
      !isMap && values.has(key) ? value : stripped(value, !isMap && maps.has(key)),
    ]),
  );
}

// Converts the validator's output units into violations with paths.

/** A unit of a keyword with subschemas only says that one of those failed. */
function leaves(units: readonly OutputUnit[]): readonly OutputUnit[] {
  const isHolder = ({ keywordLocation, instanceLocation }: OutputUnit, at: number): boolean =>
    units.some(
      (other, place) =>
        place !== at &&
        other.keyword !== 'false' &&
        other.keywordLocation.startsWith(`${keywordLocation}/`) &&
        other.instanceLocation.startsWith(instanceLocation),
    );
  return units.slice(0, maxUnits).filter((unit, at) => unit.keyword !== 'false' && !isHolder(unit, at));
}

/** Comparing all units with each other is quadratic. */
const maxUnits = 200;

function misfitOf({ keyword, instanceLocation, error }: OutputUnit): Misfit {
  const path = instanceLocation.split('/').slice(1).map(unescaped).join('.');
  const property = /"(.*)"/s.exec(error)?.[1];
  if (property !== undefined && (keyword === 'required' || keyword.endsWith('Properties')))
    return { keyword, path, property, text: error };
  if (keyword === 'type') {
    const types = /Expected "(.*)"\.$/s.exec(error)?.[1]?.replaceAll('", "', ' or ') ?? 'another type';
    return { keyword, path, text: `must be ${types}` };
  }
  const allowed = keyword === 'enum' ? /any of (\[.*\])\.$/s.exec(error)?.[1] : undefined;
  if (allowed !== undefined) {
    const shown = (JSON.parse(allowed) as unknown[]).slice(0, 20).map((one) => JSON.stringify(one));
    return { keyword, path, text: `must be equal to one of the allowed values: ${shown.join(', ')}` };
  }
  return { keyword, path, text: `is wrong: ${error.slice(0, 200).replace(/\.$/, '')}` };
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
