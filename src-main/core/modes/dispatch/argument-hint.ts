/** What to tell a caller whose call failed and who wrote parameters that the tool does not have. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { closestWord } from '../../config/closest-word.ts';

/** More than this helps nobody, and the names come from a model: they can be anything. */
const mostNames = 20;
const longestName = 60;

/** undefined where every parameter is known. */
export function argumentHint(args: JsonObject, schema: JsonObject): string | undefined {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const valid = Object.keys(properties);
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length === 0) return undefined;
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]).map(String) : [];
  const missing = required.filter((name) => !Object.hasOwn(args, name));
  return [
    `Unrecognised parameters: ${list(unknown, (name) => `'${name}' (${guess(name, valid)})`)}.`,
    ...(missing.length === 0 ? [] : [`Still missing: ${list(missing)}.`]),
    `Valid parameters: ${valid.length === 0 ? 'none' : list(valid)}.`,
  ].join(' ');
}

function guess(name: string, valid: readonly string[]): string {
  const meant = name.length > longestName ? undefined : closestWord(name, valid);
  return meant === undefined ? 'not in schema' : `did you mean '${meant}'?`;
}

function list(names: readonly string[], show: (name: string) => string = (name) => name): string {
  const shown = names.slice(0, mostNames).map((name) => show(name.slice(0, longestName)));
  return [...shown, ...(names.length > mostNames ? [`${names.length - mostNames} more`] : [])].join(', ');
}
