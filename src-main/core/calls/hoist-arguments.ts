/** Brings what a model wrote one level too deep, or beside the arguments, to where the tool looks for it. */
import { isObject, type JsonObject, parseJson } from '../base/json.ts';
import { argumentKeys, nameKeys } from './read-arguments.ts';

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
export function hoistArguments(args: JsonObject, beside: JsonObject, schema: JsonObject): JsonObject {
  const known = isObject(schema['properties']) ? schema['properties'] : {};
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
