/** Checks what a model wrote for a tool against the tool's own schema, before the call; what is wrong is said with the schema. */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOf, parseJson } from '../base/json.ts';
import { shortName } from '../base/shown-text.ts';
import { closestWord } from '../base/wording.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { argumentKeys, nameKeys } from './read-arguments.ts';

/** Longer arguments (in characters of JSON) are for the server to judge: reading them would hold everybody's calls. */
const longestChecked = 1024 * 1024;
const mostProblems = 5;

export interface GivenArguments {
  readonly arguments: JsonObject | undefined;
  /** What stood beside them in the input of a helper tool. */
  readonly beside?: JsonObject | undefined;
}

/**
 * `name`: what the caller called it. The arguments to call with, hoisted where a model wrote them in the wrong place. Rejects with AppError arguments_invalid,
 * `data` being `{error_type: "invalid_params", tool, hint, input_schema}`. A schema that cannot be checked lets everything pass.
 */
export async function checkArguments(
  tool: CatalogEntry,
  given: GivenArguments,
  schemas: SchemaCompiler,
  name: string = tool.id,
): Promise<JsonObject | undefined> {
  const schema = usableSchema(tool.definition);
  const hoisted = hoistArguments(given.arguments ?? {}, given.beside ?? {}, schema);
  const errors = await misfits(tool.definition, hoisted, schemas);
  if (errors.length > 0) throw invalid(tool.id, name, { schema, args: hoisted, errors });
  return Object.keys(hoisted).length === 0 ? given.arguments : hoisted;
}

/** Where arguments do not fit a tool's schema; nothing for a schema that cannot be checked, and arguments too long to be. */
export async function misfits(
  definition: JsonObject,
  args: JsonObject,
  schemas: SchemaCompiler,
): Promise<readonly ErrorObject[]> {
  const validate = await schemas.validatorOf(definition);
  const text = JSON.stringify(args);
  if (validate === undefined || text.length > longestChecked) return [];
  // Through text, so that numbers whose spelling is kept are numbers to the validator.
  return validate(JSON.parse(text)) === true ? [] : (validate.errors ?? []);
}

function invalid(
  id: string,
  name: string,
  {
    schema,
    args,
    errors,
  }: { readonly schema: JsonObject; readonly args: JsonObject; readonly errors: readonly ErrorObject[] },
): AppError {
  const problems = [...new Set(errors.map(problemOf))];
  const shown = problems.slice(0, mostProblems);
  const more = problems.length > shown.length ? [`${problems.length - shown.length} more`] : [];
  const hint = hintFor(schema, args);
  return new AppError(
    'arguments_invalid',
    `The arguments do not fit ${shortName(name)}: ${[...shown, ...more].join('; ')}.`,
    {
      fix: hint,
      data: { error_type: 'invalid_params', tool: id, hint, input_schema: schema },
    },
  );
}

function problemOf({ keyword, instancePath, params, message }: ErrorObject): string {
  const at = instancePath.slice(1).replaceAll('/', '.');
  const inside = at === '' ? '' : ` in ${at}`;
  const { missingProperty, additionalProperty, allowedValues } = params as Record<string, unknown>;
  if (keyword === 'required') return `"${String(missingProperty)}" is missing${inside}`;
  if (keyword === 'additionalProperties') return `"${String(additionalProperty)}" is not known${inside}`;
  const values = Array.isArray(allowedValues)
    ? `: ${allowedValues
        .slice(0, 20)
        .map((one) => JSON.stringify(one))
        .join(', ')}`
    : '';
  return `${at === '' ? 'the whole' : `"${at}"`} ${message ?? 'is wrong'}${values}`;
}

function hintFor(schema: JsonObject, args: JsonObject): string {
  const names = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  const guesses = Object.keys(args).flatMap((name) => {
    const meant = names.includes(name) ? undefined : closestWord(name, names);
    return meant === undefined ? [] : [`"${meant}" instead of "${name}"`];
  });
  const meant = guesses.length === 0 ? '' : `Did you mean ${guesses.join(', ')}? `;
  if (names.length === 0) return `${meant}It takes no named arguments.`;
  return `${meant}It takes ${names.map((name) => (required.has(name) ? `${name} (required)` : name)).join(', ')}.`;
}

// Brings what a model wrote one level too deep, or beside the arguments, to where the tool looks for it.

/** More layers than this nobody wraps by mistake. */
const mostLayers = 3;

/** The call inside a helper's input that was wrapped as a whole: `{arguments: {name, arguments}}`. */
export function hoistCall(input: JsonObject): JsonObject {
  const key = soleArgumentKey(input);
  if (key === undefined || nameKeys.some((name) => input[name] !== undefined)) return input;
  const inner = toObject(input[key]);
  return inner !== undefined && nameKeys.some((name) => typeof inner[name] === 'string') ? inner : input;
}

/**
 * The arguments as the tool's schema wants them: without layers of `arguments` that the schema does not know
 * (`{arguments: {arguments: {…}}}`), and with what stood beside them under names that it does know.
 */
function hoistArguments(args: JsonObject, beside: JsonObject, schema: JsonObject): JsonObject {
  const known = objectOf(schema['properties']);
  const unwrapped = unwrap(args, known);
  const strays = Object.entries(beside).filter(
    ([name]) => Object.hasOwn(known, name) && !Object.hasOwn(unwrapped, name),
  );
  return strays.length === 0 ? unwrapped : { ...Object.fromEntries(strays), ...unwrapped };
}

function unwrap(args: JsonObject, known: JsonObject): JsonObject {
  let inner = args;
  for (let layer = 0; layer < mostLayers; layer++) {
    const [key, ...others] = Object.keys(inner);
    const isLayer = key !== undefined && others.length === 0 && isArgumentKey(key) && !Object.hasOwn(known, key);
    const next = isLayer ? toObject(inner[key]) : undefined;
    if (next === undefined) break;
    inner = next;
  }
  // Layers around something else entirely are what the tool was meant to get.
  return Object.keys(inner).some((name) => Object.hasOwn(known, name)) ? inner : args;
}

function soleArgumentKey(input: JsonObject): string | undefined {
  const given = Object.keys(input).filter(isArgumentKey);
  return given.length === 1 ? given[0] : undefined;
}

function isArgumentKey(key: string): boolean {
  return (argumentKeys as readonly string[]).includes(key);
}

function toObject(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed = parseJson(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

// Validators of tools' input schemas, each compiled at its first use and forgotten with the definition it belongs to.

type Validator = Pick<ValidateFunction, 'errors'> & ((value: unknown) => unknown);

export class SchemaCompiler {
  readonly #compiled = new WeakMap<JsonObject, Promise<Validator | undefined>>();

  /** The validator of a tool's input; undefined where its schema does not compile, or costs too much to be checked here. */
  validatorOf(definition: JsonObject): Promise<Validator | undefined> {
    const known = this.#compiled.get(definition);
    if (known !== undefined) return known;
    const compiled = compile(definition).catch(() => undefined);
    this.#compiled.set(definition, compiled);
    return compiled;
  }
}

/** A fresh instance for each: one that is shared keeps every schema for good, and refuses a second one with the same `$id`. */
async function compile(definition: JsonObject): Promise<Validator | undefined> {
  const schema = usableSchema(definition);
  if (!isCheckable(schema)) return undefined;
  // Loaded at the first check: it costs the start of the core 25 ms.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    validateFormats: false,
    meta: false,
    logger: false,
    addUsedSchema: false,
    inlineRefs: false,
  });
  // A server's pattern can hold the core for ever, and so can comparing each item with every other.
  ajv.removeKeyword('pattern').removeKeyword('uniqueItems');
  const { $schema: _dialect, ...rest } = schema;
  return ajv.compile(rest) as Validator;
}

// Whether a server's schema may be compiled here at all: small with every reference followed, and without recursion.

/** Nodes of the schema with its references followed. `$defs` that double from one to the next reach any number in a few lines. */
const mostNodes = 5000;

/**
 * A validator runs in the core, for everybody: a schema that makes it slow is left to its server.
 * Recursive schemas are left out because their cost depends on the arguments; `patternProperties` because its patterns do.
 */
function isCheckable(schema: unknown): boolean {
  return new Walk(schema).isBounded(schema, []);
}

const uncheckable = ['patternProperties', '$dynamicRef', '$recursiveRef'];
/** What costs nothing unless something refers to it, and what is no schema. */
const asides = new Set(['$defs', 'definitions', 'enum', 'const', 'default', 'examples']);
/** Keywords whose members are schemas under names that the server chose. */
const maps = new Set(['properties', 'dependentSchemas']);

class Walk {
  readonly #root: unknown;
  #nodes = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  isBounded(node: unknown, above: readonly unknown[]): boolean {
    if ((this.#nodes += 1) > mostNodes) return false;
    if (Array.isArray(node)) return node.every((item) => this.isBounded(item, above));
    if (!isObject(node)) return true;
    // References inside a schema that has an id of its own start from there.
    if (above.includes(node) || (node !== this.#root && Object.hasOwn(node, '$id'))) return false;
    if (uncheckable.some((key) => Object.hasOwn(node, key))) return false;
    const path = [...above, node];
    return Object.entries(node).every(([key, value]) => {
      if (asides.has(key)) return true;
      if (key === '$ref') return this.#isBoundedReference(value, path);
      if (maps.has(key) && isObject(value)) return Object.values(value).every((schema) => this.isBounded(schema, path));
      return this.isBounded(value, path);
    });
  }

  /** Where it leads nowhere the schema does not compile anyway. */
  #isBoundedReference(reference: unknown, path: readonly unknown[]): boolean {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
    let node = this.#root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }
    return node !== undefined && this.isBounded(node, path);
  }
}
