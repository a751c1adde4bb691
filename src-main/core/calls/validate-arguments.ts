/**
 * Checks what a model wrote for a tool against the tool's own schema, before the call; what is wrong is said with the
 * schema.
 */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, parseJson } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import { closestMatch } from '../base/text-format.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { argumentKeys, nameKeys } from './read-arguments.ts';
import { isCheckable, type Misfit, type SchemaChecker } from './schema-check.ts';

const maxProblems = 5;
/** Argument names for which a name that was meant is looked for. */
const maxGuesses = 20;
/** Names of a schema that a hint lists, and compares with. */
const maxNames = 100;

export interface RawArguments {
  readonly arguments: JsonObject | undefined;
  /** Other members of the helper tool's input. */
  readonly beside?: JsonObject | undefined;
}

/**
 * `name`: what the caller called it. The arguments to call with, hoisted where a model wrote them in the wrong place.
 * Rejects with AppError `arguments_invalid`, `data` being `{error_type: "invalid_params", tool, hint, input_schema}`. A
 * schema that cannot be checked lets everything pass.
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
  return Object.keys(hoisted).length === 0 ? given.arguments : hoisted;
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
  // Through text, so that numbers whose spelling is kept are numbers to the validator.
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
    `The arguments do not fit ${truncateName(name)}: ${[...shown, ...more].join('; ')}.`,
    {
      fix: hint,
      data: { error_type: 'invalid_params', tool: id, hint, input_schema: schema },
    },
  );
}

function problemOf({ keyword, path, property, text }: Misfit): string {
  const inside = path === '' ? '' : ` in ${path}`;
  if (keyword === 'required') return `"${property ?? ''}" is missing${inside}`;
  if (keyword === 'additionalProperties') return `"${property ?? ''}" is not known${inside}`;
  return `${path === '' ? 'the whole' : `"${path}"`} ${text}`;
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
  if (names.length === 0) return `${meant}It takes no named arguments.`;
  const shown = names.slice(0, maxNames).map((name) => (required.has(name) ? `${name} (required)` : name));
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `${meant}It takes ${shown.map(truncateName).join(', ')}${more}.`;
}

// Brings what a model wrote one level too deep, or next to the arguments, to where the tool looks for it.

/** More layers than this nobody wraps by mistake. */
const maxLayers = 3;

/** The call inside a helper's input that was wrapped as a whole: `{arguments: {name, arguments}}`. */
export function unwrapCall(input: JsonObject): JsonObject {
  const key = soleArgumentKey(input);
  if (key === undefined || nameKeys.some((name) => input[name] !== undefined)) return input;
  const inner = toObject(input[key]);
  return inner !== undefined && nameKeys.some((name) => typeof inner[name] === 'string') ? inner : input;
}

/**
 * The arguments as the tool's schema wants them: without layers of `arguments` that the schema does not know
 * (`{arguments: {arguments: {…}}}`), and with what stood next to them under names that it does know.
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
