/**
 * Validates arguments that a model passed through a helper tool against the tool's schema before the call. Errors
 * include the schema.
 */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, parseJson } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import { closestMatch } from '../base/text-format.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { argumentKeys, nameKeys } from './read-arguments.ts';
import { isCheckable, type Misfit, type SchemaChecker } from './schema-check.ts';

const maxProblems = 5;
/** Maximum number of argument names for which a similar name is searched. */
const maxGuesses = 20;
/** Maximum number of schema names that a hint lists and compares with. */
const maxNames = 100;

export interface RawArguments {
  readonly arguments: JsonObject | undefined;
  /** Other members of the helper tool's input. */
  readonly beside?: JsonObject | undefined;
}

/**
 * Returns the arguments for the call, hoisted if the model nested them in the wrong place. `name` is the name the
 * caller used.
 * Rejects with AppError `arguments_invalid`, whose `data` is `{error_type: "invalid_params", tool, hint,
 * input_schema}`. A
 * schema that cannot be checked accepts everything.
 */
export async function validateArguments(
  tool: CatalogEntry,
  given: RawArguments,
  schemas: SchemaChecker,
  name: string = tool.id,
): Promise<JsonObject | undefined> {
  const schema = usableSchema(tool.definition);
  const hoisted = hoistArguments(given.arguments ?? {}, given.beside ?? {}, schema);
  const errors = await validationErrors(tool.definition, hoisted, schemas);
  if (errors.length > 0) throw invalid(tool.id, name, { schema, args: hoisted, errors });
  return firstKeys(hoisted).length === 0 ? given.arguments : hoisted;
}

/**
 * Returns where arguments violate a tool's schema; empty if the schema cannot be checked or the arguments are too long.
 */
export async function validationErrors(
  definition: JsonObject,
  args: JsonObject,
  schemas: SchemaChecker,
): Promise<readonly Misfit[]> {
  if (!isCheckable(args)) return [];
  const text = JSON.stringify(args);
  // Parsed again, so that numbers whose spelling is preserved are plain numbers for the validator.
  return schemas.misfits(usableSchema(definition), JSON.parse(text) as JsonObject);
}

function invalid(
  id: string,
  name: string,
  {
    schema,
    args,
    errors,
  }: { readonly schema: JsonObject; readonly args: JsonObject; readonly errors: readonly Misfit[] },
): AppError {
  const problems = [...new Set(errors.map(problemOf))];
  const shown = problems.slice(0, maxProblems);
  const more = problems.length > shown.length ? [`${problems.length - shown.length} more`] : [];
  const hint = hintFor(schema, args);
  return new AppError(
    'arguments_invalid',
    `Invalid arguments for ${truncateName(name)}: ${[...shown, ...more].join('; ')}.`,
    {
      fix: hint,
      data: { error_type: 'invalid_params', tool: id, hint, input_schema: schema },
    },
  );
}

function problemOf({ keyword, path, property, text }: Misfit): string {
  const inside = path === '' ? '' : ` in ${path}`;
  if (keyword === 'required') return `"${property ?? ''}" is missing${inside}`;
  if (keyword === 'additionalProperties') return `"${property ?? ''}" is unknown${inside}`;
  return `${path === '' ? 'the arguments' : `"${path}"`} ${text}`;
}

function hintFor(schema: JsonObject, args: JsonObject): string {
  const names = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  const known = new Set(names);
  const unknown = Object.keys(args).filter((name) => !known.has(name));
  const guesses = unknown.slice(0, maxGuesses).flatMap((name) => {
    const meant = closestMatch(name, names.slice(0, maxNames));
    return meant === undefined ? [] : [`"${meant}" instead of "${name}"`];
  });
  const meant = guesses.length === 0 ? '' : `Did you mean ${guesses.join(', ')}? `;
  if (names.length === 0) return `${meant}It has no named parameters.`;
  const shown = names.slice(0, maxNames).map((name) => (required.has(name) ? `${name} (required)` : name));
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `${meant}Parameters: ${shown.map(truncateName).join(', ')}${more}.`;
}

/** Maximum number of wrapping layers that are removed. */
const maxLayers = 3;

/** Unwraps a call inside a helper tool's input that was wrapped as a whole: `{arguments: {name, arguments}}`. */
export function unwrapCall(input: JsonObject): JsonObject {
  const key = soleArgumentKey(input);
  if (key === undefined || nameKeys.some((name) => input[name] !== undefined)) return input;
  const inner = toObject(input[key]);
  return inner !== undefined && nameKeys.some((name) => typeof inner[name] === 'string') ? inner : input;
}

/**
 * Returns the arguments that match the tool's schema: without `arguments` layers that the schema does not define
 * (`{arguments: {arguments: {…}}}`), and with members from next to them if the schema defines them.
 */
function hoistArguments(args: JsonObject, beside: JsonObject, schema: JsonObject): JsonObject {
  const known = objectOrEmpty(schema['properties']);
  const unwrapped = unwrap(args, known);
  const strays = Object.entries(beside).filter(
    ([name]) => Object.hasOwn(known, name) && !Object.hasOwn(unwrapped, name),
  );
  return strays.length === 0 ? unwrapped : { ...Object.fromEntries(strays), ...unwrapped };
}

function unwrap(args: JsonObject, known: JsonObject): JsonObject {
  let inner = args;
  for (let layer = 0; layer < maxLayers; layer++) {
    const [key = '', other] = firstKeys(inner);
    const isLayer = other === undefined && isArgumentKey(key) && !Object.hasOwn(known, key);
    const next = isLayer ? toObject(inner[key]) : undefined;
    if (next === undefined) break;
    inner = next;
  }
  if (inner === args) return args;
  // Layers around unknown names are what the tool was meant to receive.
  return Object.keys(inner).some((name) => Object.hasOwn(known, name)) ? inner : args;
}

/** The first two, without a list of all. */
function firstKeys(value: JsonObject): readonly string[] {
  const keys: string[] = [];
  for (const key in value) {
    keys.push(key);
    if (keys.length === 2) break;
  }
  return keys;
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
