/** Checks what a model wrote for a tool against the tool's own schema, before the call; what is wrong is said with the schema. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { closestWord } from '../config/closest-word.ts';
import { hoistArguments } from './hoist-arguments.ts';
import type { SchemaCompiler } from './schema-compiler.ts';

/** Longer arguments (in characters of JSON) are for the server to judge: reading them would hold everybody's calls. */
const longestChecked = 1024 * 1024;
const mostProblems = 5;

export interface GivenArguments {
  readonly arguments: JsonObject | undefined;
  /** What stood beside them in the input of a helper tool. */
  readonly beside?: JsonObject | undefined;
}

/**
 * The arguments to call with, hoisted where a model wrote them in the wrong place. Rejects with AppError arguments_invalid,
 * `data` being `{error_type: "invalid_params", tool, hint, input_schema}`. A schema that cannot be checked lets everything pass.
 */
export async function checkArguments(
  tool: CatalogEntry,
  given: GivenArguments,
  schemas: SchemaCompiler,
): Promise<JsonObject | undefined> {
  const schema = usableSchema(tool.definition);
  const hoisted = hoistArguments(given.arguments ?? {}, given.beside ?? {}, schema);
  const validate = await schemas.validatorOf(tool.definition);
  const text = JSON.stringify(hoisted);
  // Through text, so that numbers whose spelling is kept are numbers to the validator.
  if (validate === undefined || text.length > longestChecked || validate(JSON.parse(text)) === true)
    return Object.keys(hoisted).length === 0 ? given.arguments : hoisted;
  throw invalid(tool, schema, hoisted, validate.errors ?? []);
}

function invalid(tool: CatalogEntry, schema: JsonObject, args: JsonObject, errors: readonly ErrorObject[]): AppError {
  const problems = [...new Set(errors.map(problemOf))];
  const shown = problems.slice(0, mostProblems);
  const more = problems.length > shown.length ? [`${problems.length - shown.length} more`] : [];
  const hint = hintFor(schema, args);
  return new AppError('arguments_invalid', `The arguments do not fit ${tool.id}: ${[...shown, ...more].join('; ')}.`, {
    fix: hint,
    data: { error_type: 'invalid_params', tool: tool.id, hint, input_schema: schema },
  });
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
