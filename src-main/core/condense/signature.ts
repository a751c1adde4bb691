/** Renders a tool's input schema as a one-line signature for models. */
import { referredBy } from '../base/json-pointer.ts';
import { isObject, type JsonObject, objectOrEmpty, toPlainNumber } from '../base/json.ts';

// A tool as one line that is enough to call it: `create_entities(entities: {name, entityType, observations:
// string[]}[])`. `?` marks optional arguments; no type means text. Types are those of TypeScript, followed by limits in
// brackets: `integer(1..100)`, `string(uri)`, `string(..64, /^a/)`, `number(>0..)`, `T[1..3, unique]`. `[A, B]` is a
// tuple, `{[key]: T}` allows any keys. `…` marks omitted values. `~` marks constraints that the signature cannot
// express: a caller that writes such lines must also point to the schema.

interface SignedTool {
  readonly name: string;
  readonly inputSchema?: unknown;
}

/** Accepts any value; an invalid schema yields `name()`. */
export function signature(tool: SignedTool): string {
  return `${tool.name}(${parametersText(tool.inputSchema)})`;
}

/** Maximum length of a parameter list, in characters. A longer one is rendered again with less nesting. */
const maxParametersLength = 600;

const maxDepth = 4;

/** Renders `path, head?: integer`. `which` filters the parameters by name. */
export function parametersText(
  schema: unknown,
  filter: (name: string, required: boolean) => boolean = () => true,
): string {
  for (let depth = maxDepth; ; depth -= 1) {
    const text = new TypeWriter(schema, depth).parameters(schema, filter);
    if (text.length <= maxParametersLength || depth === 0) return text;
  }
}

/** The type of one value inside a schema, whose local references point into `root`. */
function typeText(schema: unknown, root: unknown): string {
  for (let depth = maxDepth - 1; ; depth -= 1) {
    const text = new TypeWriter(root, depth).of(schema, 0);
    if (text.length <= maxParametersLength || depth === 0) return text;
  }
}

/** Maximum length of a result's type, in characters. */
const maxOutputTypeLength = 160;

/**
 * Returns the tool's output type, such as `{path, lines: integer}`; undefined if unspecified, or too long for a line.
 */
export function outputType(outputSchema: unknown): string | undefined {
  if (!isObject(outputSchema)) return undefined;
  for (let depth = 2; depth > 0; depth -= 1) {
    const text = new TypeWriter(outputSchema, depth, true).of(outputSchema, 0);
    if (text.length <= maxOutputTypeLength) return text === 'any' || text.startsWith('object') ? undefined : text;
  }
  return undefined;
}

interface ParameterType {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
}

/** Like `parametersText`, as separate parts. `more` holds the index signature `[key]: T` and the `~` mark. */
export function parameterTypes(schema: unknown): {
  readonly parameters: readonly ParameterType[];
  readonly more: readonly string[];
} {
  const { members, more } = new TypeWriter(schema, maxDepth).parts(schema);
  const parameters = members.map(({ name, property, required }) => ({
    name,
    required,
    type: typeText(property, schema),
  }));
  return { parameters, more };
}

/** Returns whether the signature omits constraints of the schema. */
export function isLossy(text: string): boolean {
  return withoutLiterals(text).includes('~');
}

function withoutLiterals(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)*\//g, '""');
}

const maxValues = 12;

/**
 * Maximum number of schema nodes read for one tool, because a small schema full of references can describe a huge type.
 */
const maxNodes = 500;

const maxPatternLength = 60;

/** Largest integer that every JSON parser represents exactly. */
const maxSafe = Number.MAX_SAFE_INTEGER;

/** Object keywords that a member list cannot express. */
const inexpressibleKeywords = [
  ...['patternProperties', 'not', 'if', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['maxProperties', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef'],
];

interface Member {
  readonly name: string;
  readonly property: unknown;
  readonly required: boolean;
}

class TypeWriter {
  readonly #root: unknown;
  readonly #depth: number;
  readonly #writesStrings: boolean;
  readonly #ancestors: unknown[] = [];
  #nodes = 0;

  /** `writesStrings`: also writes the type of members that are text. */
  constructor(root: unknown, depth: number, writesStrings: boolean = false) {
    this.#root = root;
    this.#depth = depth;
    this.#writesStrings = writesStrings;
  }

  parameters(schema: unknown, which: (name: string, required: boolean) => boolean): string {
    const { members, more } = this.parts(schema);
    const shown = members.filter(({ name, required }) => which(name, required));
    return [...shown.map((member) => this.#member(member, 0)), ...more].join(', ');
  }

  /** Returns the members of an object schema, and its other constraints. */
  parts(schema: unknown): { members: readonly Member[]; more: readonly string[] } {
    const whole = this.#resolve(schema);
    if (!isObject(whole)) return { members: [], more: isObject(schema) ? ['~'] : [] };
    return this.#parts(this.#merged(whole), 0);
  }

  /** Returns `any` if the schema has no type, `any~` if it is too complex. */
  of(schema: unknown, depth: number): string {
    if (schema === false || (this.#nodes += 1) > maxNodes) return 'any~';
    const resolved = this.#resolve(schema);
    if (resolved === undefined) return 'any~';
    if (!isObject(resolved)) return 'any';
    if (this.#ancestors.includes(resolved)) return 'any~';
    this.#ancestors.push(resolved);
    const text = this.#ofNode(this.#merged(resolved), depth);
    this.#ancestors.pop();
    return text;
  }

  #ofNode(node: JsonObject, depth: number): string {
    if (Object.hasOwn(node, 'const')) return literal(node['const']);
    if (Array.isArray(node['enum'])) return literals(ofType(node['enum'] as unknown[], node['type']));
    const branches = node['anyOf'] ?? node['oneOf'];
    if (Array.isArray(branches)) return this.#branches(node, branches as unknown[], depth);
    const { type } = node;
    return union((Array.isArray(type) ? (type as unknown[]) : [type]).map((one) => this.#plain(one, node, depth)));
  }

  /** Members declared next to the branches apply to each branch. */
  #branches(node: JsonObject, branches: readonly unknown[], depth: number): string {
    const { anyOf, oneOf, ...base } = node;
    if (depth > this.#depth) return 'any~';
    const onlyRequired = branches.every((one) => isObject(one) && Object.keys(one).every((key) => key === 'required'));
    if (onlyRequired || (anyOf !== undefined && oneOf !== undefined)) return marked(this.#ofNode(base, depth));
    const isBare = Object.keys(base).every((key) => !constrainingKeywords.has(key) || key === 'type');
    const shown = branches.slice(0, maxValues);
    const types = shown.map((branch) => {
      const own = this.#resolve(branch);
      if (!isObject(own) || (isBare && base['type'] === undefined)) return this.of(branch, depth + 1);
      return this.of(this.#merged({ ...base, allOf: [own] }), depth + 1);
    });
    const text = union(branches.length > shown.length ? [...types, '…'] : types);
    return oneOf === undefined || areExclusive(shown.map((branch) => this.#resolve(branch))) ? text : marked(text);
  }

  #plain(type: unknown, node: JsonObject, depth: number): string {
    switch (type) {
      case 'string':
        return limited('string', stringLimits(node));
      case 'integer':
      case 'number':
        return limited(type, numberLimits(node));
      case 'boolean':
      case 'null':
        return type;
      case 'array':
        return this.#list(node, depth);
      case 'object':
        return this.#object(node, depth);
      default:
        if (isObject(node['properties'])) return this.#object(node, depth);
        return Object.keys(node).some((key) => constrainingKeywords.has(key)) ? 'any~' : 'any';
    }
  }

  #object(node: JsonObject, depth: number): string {
    if (depth >= this.#depth)
      return Object.keys(node).some((key) => constrainingKeywords.has(key) && key !== 'type') ? 'object~' : 'object';
    const { members: own, more } = this.#parts(node, depth + 1);
    const members = [...own.map((member) => this.#member(member, depth + 1)), ...more];
    return members.length === 0 ? 'object' : `{${members.join(', ')}}`;
  }

  #parts(node: JsonObject, depth: number): { members: readonly Member[]; more: readonly string[] } {
    const properties = objectOrEmpty(node['properties']);
    const required = new Set((Array.isArray(node['required']) ? (node['required'] as unknown[]) : []).filter(isText));
    const undeclared = [...required].filter((name) => !Object.hasOwn(properties, name));
    return {
      members: [
        ...Object.entries(properties).map(([name, property]) => ({ name, property, required: required.has(name) })),
        ...undeclared.map((name) => ({ name, property: true, required: true })),
      ],
      more: [...this.#others(node, Object.keys(properties).length, depth), ...this.#beyond(node, required.size)],
    };
  }

  #member({ name, property, required }: Member, depth: number): string {
    const shown = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? name : JSON.stringify(name);
    const type = this.of(property, depth);
    return `${shown}${required ? '' : '?'}${type === 'string' && !this.#writesStrings ? '' : `: ${type}`}`;
  }

  /** Returns the index signature, if additional properties are typed or are the only ones. */
  #others({ additionalProperties: others }: JsonObject, named: number, depth: number): string[] {
    if (isObject(others) && Object.keys(others).length > 0) return [`[key]: ${this.of(others, depth)}`];
    return named === 0 && depth > 0 && (others === true || isObject(others)) ? ['[key]: any'] : [];
  }

  #beyond(node: JsonObject, required: number): string[] {
    const [least = 0] = numbersOf(node, 'minProperties');
    const namesLimited =
      isObject(node['propertyNames']) && JSON.stringify(node['propertyNames']) !== '{"type":"string"}';
    const branches = Array.isArray(node['anyOf']) || Array.isArray(node['oneOf']) || Array.isArray(node['allOf']);
    const isBeyond = inexpressibleKeywords.some((key) => node[key] !== undefined && node[key] !== false);
    return isBeyond || branches || namesLimited || least > required ? ['~'] : [];
  }

  #list(node: JsonObject, depth: number): string {
    const { prefixItems, items, uniqueItems, contains } = node;
    const [minItems, maxItems] = numbersOf(node, 'minItems', 'maxItems');
    const places = Array.isArray(prefixItems)
      ? (prefixItems as unknown[])
      : Array.isArray(items)
        ? (items as unknown[])
        : undefined;
    if (depth > this.#depth) return 'any[]~';
    if (places !== undefined) {
      const text = `[${places.map((one) => this.of(one, depth + 1)).join(', ')}]`;
      const isOther = (minItems ?? 0) > places.length || (maxItems ?? Infinity) < places.length;
      return isOther || uniqueItems === true || contains !== undefined ? marked(text) : text;
    }
    const item = items === undefined ? 'any' : this.of(items, depth + 1);
    const range = rangeText((minItems ?? 0) > 0 ? minItems : undefined, maxItems);
    const count = [...range, ...(uniqueItems === true ? ['unique'] : [])].join(', ');
    const text = `${isAtomic(item) ? item : `(${item})`}[${count}]`;
    return contains === undefined || contains === true ? text : marked(text);
  }

  /** Returns the node with `$ref` resolved and `allOf` merged, if it can be merged. */
  #merged(node: JsonObject): JsonObject {
    const parts = node['allOf'];
    if (!Array.isArray(parts)) return node;
    const { allOf: _allOf, ...base } = node;
    let merged: JsonObject = base;
    for (const part of parts as unknown[]) {
      const own = this.#resolve(part);
      const next = isObject(own) ? mergeSchemas(merged, own) : undefined;
      if (next === undefined) return { ...base, allOf: parts };
      merged = next;
    }
    return merged;
  }

  /** Returns undefined for a dangling or circular reference. */
  #resolve(schema: unknown): unknown {
    let node = schema;
    for (let step = 0; step < 20; step++) {
      const reference = isObject(node) ? node['$ref'] : undefined;
      if (typeof reference !== 'string') return node;
      const { $ref: _ref, ...beside } = node as JsonObject;
      const target = referredBy(this.#root, reference);
      if (target === undefined) return undefined;
      const isAlone = !Object.keys(beside).some((key) => constrainingKeywords.has(key));
      node = isAlone || !isObject(target) ? target : { ...beside, allOf: [target] };
    }
    return undefined;
  }
}

/** Keywords that constrain values. */
const constrainingKeywords: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems', '$ref'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  ...['minProperties', 'propertyNames', ...inexpressibleKeywords],
]);

/** Merges two schemas. Returns undefined if they share a keyword other than `properties` and `required`. */
function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const clash = Object.keys(b).filter(
    (key) =>
      constrainingKeywords.has(key) && Object.hasOwn(a, key) && JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
  if (clash.some((key) => key !== 'properties' && key !== 'required')) return undefined;
  const [ownA, ownB] = [a['properties'], b['properties']].map((one) => objectOrEmpty(one)) as [JsonObject, JsonObject];
  if (
    Object.keys(ownB).some(
      (name) => Object.hasOwn(ownA, name) && JSON.stringify(ownA[name]) !== JSON.stringify(ownB[name]),
    )
  )
    return undefined;
  // `additionalProperties` of one schema also applies to members that only the other declares.
  const isLimited = [a, b].some((one) => ![undefined, true].includes(one['additionalProperties'] as true | undefined));
  if (isLimited && JSON.stringify(Object.keys(ownA)) !== JSON.stringify(Object.keys(ownB))) return undefined;
  const required = [a['required'], b['required']].flatMap((one) => (Array.isArray(one) ? (one as unknown[]) : []));
  const hasMembers = a['properties'] !== undefined || b['properties'] !== undefined;
  return {
    ...a,
    ...b,
    ...(hasMembers && { properties: { ...ownA, ...ownB } }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/**
 * Returns whether the branches are mutually exclusive: they have different types, or different values of a required
 * member.
 */
function areExclusive(branches: readonly unknown[]): boolean {
  return branches.every((a, index) =>
    branches.slice(index + 1).every((b) => isObject(a) && isObject(b) && differ(a, b)),
  );
}

function differ(a: JsonObject, b: JsonObject): boolean {
  const [valuesA, valuesB] = [valuesOf(a), valuesOf(b)];
  if (valuesA !== undefined && valuesB !== undefined) return !valuesA.some((one) => valuesB.includes(one));
  const [typesA, typesB] = [typesOf(a), typesOf(b)];
  if (typesA !== undefined && typesB !== undefined && !typesA.some((one) => typesB.includes(one))) return true;
  const [ownA, ownB] = [a['properties'], b['properties']];
  if (!isObject(ownA) || !isObject(ownB)) return false;
  const needed = [a, b].map(({ required }) => (Array.isArray(required) ? (required as unknown[]) : []));
  return Object.keys(ownA).some((name) => {
    const [one, other] = [ownA[name], ownB[name]];
    return needed.every((names) => names.includes(name)) && isObject(one) && isObject(other) && differ(one, other);
  });
}

function valuesOf(node: JsonObject): string[] | undefined {
  if (Object.hasOwn(node, 'const')) return [JSON.stringify(node['const'])];
  return Array.isArray(node['enum']) ? node['enum'].map((one) => JSON.stringify(one)) : undefined;
}

function typesOf({ type }: JsonObject): unknown[] | undefined {
  const types = Array.isArray(type) ? (type as unknown[]) : type === undefined ? undefined : [type];
  return types?.map((one) => (one === 'integer' ? 'number' : one));
}

function stringLimits(node: JsonObject): string[] {
  const { format, pattern } = node;
  const [minLength, maxLength] = numbersOf(node, 'minLength', 'maxLength');
  const isLong = typeof pattern === 'string' && (pattern.length > maxPatternLength || /[\n\r]/.test(pattern));
  return [
    ...(typeof format === 'string' ? [format.replace(/[^\w-]/g, '')] : []),
    // `minLength: 1` is omitted because it is implied.
    ...rangeText((minLength ?? 0) > 1 ? minLength : undefined, maxLength),
    ...(typeof pattern === 'string' ? [isLong ? '~' : `/${pattern.replace(/(?<!\\)((?:\\\\)*)\//g, '$1\\/')}/`] : []),
  ];
}

function numberLimits(node: JsonObject): string[] {
  const [least, most, above, below, step = 1] = numbersOf(
    node,
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  );
  // In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are booleans.
  const [openLow, openHigh] = [node['exclusiveMinimum'] === true, node['exclusiveMaximum'] === true];
  const low = above !== undefined && above >= (least ?? -Infinity) ? `>${above}` : openLow ? `>${least}` : bound(least);
  const high = below !== undefined && below <= (most ?? Infinity) ? `<${below}` : openHigh ? `<${most}` : bound(most);
  return [...rangeText(low, high), ...(step === 1 ? [] : ['~'])];
}

function numbersOf(node: JsonObject, ...keys: readonly string[]): (number | undefined)[] {
  return keys.map((key) => toPlainNumber(node[key])).map((value) => (typeof value === 'number' ? value : undefined));
}

function bound(value: number | undefined): number | undefined {
  return value !== undefined && Math.abs(value) < maxSafe ? value : undefined;
}

function rangeText(low: string | number | undefined, high: string | number | undefined): string[] {
  if (low === undefined && high === undefined) return [];
  return [low !== undefined && low === high ? String(low) : `${low ?? ''}..${high ?? ''}`];
}

function limited(type: string, limits: readonly string[]): string {
  return limits.length === 0 ? type : `${type}(${limits.join(', ')})`;
}

function marked(type: string): string {
  return type.endsWith('~') ? type : !isAtomic(type) ? `(${type})~` : `${type}~`;
}

/** Returns whether the type needs no parentheses before `[]`. */
function isAtomic(type: string): boolean {
  let open = 0;
  for (const sign of withoutLiterals(type)) {
    if ('{[('.includes(sign)) open += 1;
    else if ('}])'.includes(sign)) open -= 1;
    else if (sign === '|' && open === 0) return false;
  }
  return true;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'any';
}

function ofType(values: readonly unknown[], type: unknown): readonly unknown[] {
  if (type === 'string') return values.filter(isText);
  return type === 'null' || type === undefined || Array.isArray(type) ? values : values.filter((one) => one !== null);
}

function literals(values: readonly unknown[]): string {
  const shown = values.slice(0, maxValues).map(literal);
  return union(values.length > maxValues ? [...shown, '…'] : shown);
}

function literal(value: unknown): string {
  return JSON.stringify(value) ?? 'any';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
