/**
 * Repairs list entries for strict client apps, which validate a list as a whole: one member of the wrong type would
 * cost the user the entries of every server. Valid members stay untouched, including unknown ones. Source: Tool,
 * Resource, ResourceTemplate and Prompt of the schemas 2025-11-25 and 2026-07-28, and what the SDKs' clients enforce.
 */
import { isObject, type JsonObject, toPlainNumber } from '../../base/json.ts';
import type { ListKey } from '../../servers/listing.ts';
import type { ProtocolKind } from '../../wire/protocol-kind.ts';
import { acceptableSchema } from './acceptable-schema.ts';

// Repairs members that a strict reader would refuse; a valid value is returned as it is.

/** Returns the value, a repaired one, or undefined to leave it out. */
type Fit = (value: unknown) => unknown;
type Fits = ReadonlyMap<string, Fit>;

function fitMembers(value: JsonObject, fits: Fits): JsonObject {
  const changed = new Map<string, unknown>();
  for (const [key, fit] of fits) {
    const member = value[key];
    const fitted = member === undefined ? undefined : fit(member);
    if (fitted !== member) changed.set(key, fitted);
  }
  return changed.size === 0 ? value : replaceMembers(value, changed);
}

/** Applies one repair to every member. */
function fitAll(value: JsonObject, fit: Fit): JsonObject {
  return fitMembers(value, new Map(Object.keys(value).map((key) => [key, fit])));
}

const text: Fit = (value) => (typeof value === 'string' ? value : undefined);
const flag: Fit = (value) => (typeof value === 'boolean' ? value : undefined);
const object: Fit = (value) => (isObject(value) ? value : undefined);

function oneOf(...words: string[]): Fit {
  return (value) => (words.includes(value as string) ? value : undefined);
}

function objectWith(fits: Fits): Fit {
  return (value) => (isObject(value) ? fitMembers(value, fits) : undefined);
}

/** Items that cannot be repaired are left out. */
function listOf(fit: Fit): Fit {
  return (value) => (Array.isArray(value) ? fitItems(value, fit) : undefined);
}

function fitItems(items: readonly unknown[], fit: Fit): readonly unknown[] {
  const fitted = items.map(fit);
  return fitted.every((item, i) => item === items[i]) ? items : fitted.filter((item) => item !== undefined);
}

/** Uses entries, so that a property called `__proto__` stays one. */
function replaceMembers(value: JsonObject, changed: ReadonlyMap<string, unknown>): JsonObject {
  const entries = Object.entries(value).map(([key, member]) => [key, changed.has(key) ? changed.get(key) : member]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as JsonObject;
}

export function sanitizeEntry(key: ListKey, entry: JsonObject, era: ProtocolKind): JsonObject {
  if (key === 'tools') return acceptableTool(entry, era);
  const fitted = fitMembers(entry, key === 'prompts' ? promptMembers : resourceMembers);
  return typeof fitted['name'] === 'string' ? fitted : { ...fitted, name: fitted['uri'] ?? fitted['uriTemplate'] };
}

function acceptableTool(tool: JsonObject, era: ProtocolKind): JsonObject {
  const fitted = fitMembers(tool, toolMembers);
  const inputSchema = objectSchema(fitted['inputSchema']);
  const whole = inputSchema === fitted['inputSchema'] ? fitted : { ...fitted, inputSchema };
  const output = whole['outputSchema'];
  // Since 2026-07-28 any schema may describe the output; before, only an object schema.
  if (era === 'modern' || !isObject(output) || output['type'] === 'object') return whole;
  const { outputSchema: _left, ...rest } = whole;
  return rest;
}

/** Returns an object schema; anything that is no schema becomes "any object". */
function objectSchema(value: unknown): JsonObject {
  if (!isObject(value)) return { type: 'object' };
  const fitted = schemaFit(value) as JsonObject;
  return fitted['type'] === 'object' ? fitted : { ...fitted, type: 'object' };
}

/** JSON Schema permits `true` or `false` for a property, which stateful clients refuse. */
const property: Fit = (value) => (isObject(value) ? value : value === false ? { not: {} } : {});
const number: Fit = (value) => (typeof toPlainNumber(value) === 'number' ? value : undefined);
const share: Fit = (value) =>
  (toPlainNumber(value) as number) >= 0 && (toPlainNumber(value) as number) <= 1 ? number(value) : undefined;
const moment: Fit = (value) => (isoMoment.test(String(value)) ? text(value) : undefined);
const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const named = (key: string, fits: Fits): Fit => {
  const fit = objectWith(fits);
  return (value) => (isObject(value) && typeof value[key] === 'string' ? fit(value) : undefined);
};

const schemaFit: Fit = (value) => (isObject(value) ? fitMembers(acceptableSchema(value), schemaMembers) : undefined);

const schemaMembers: Fits = new Map<string, Fit>([
  ['$schema', text],
  ['properties', (value) => (isObject(value) ? fitAll(value, property) : undefined)],
  ['required', listOf(text)],
]);

const iconMembers: Fits = new Map([
  ['mimeType', text],
  ['sizes', listOf(text)],
  ['theme', oneOf('light', 'dark')],
]);

const hintMembers: Fits = new Map([
  ['title', text],
  ['readOnlyHint', flag],
  ['destructiveHint', flag],
  ['idempotentHint', flag],
  ['openWorldHint', flag],
]);

const audienceMembers: Fits = new Map([
  ['audience', listOf(oneOf('user', 'assistant'))],
  ['priority', share],
  ['lastModified', moment],
]);

const argumentMembers: Fits = new Map([
  ['title', text],
  ['description', text],
  ['required', flag],
]);

const common: readonly (readonly [string, Fit])[] = [
  ['title', text],
  ['description', text],
  ['icons', listOf(named('src', iconMembers))],
  ['_meta', object],
];

const toolMembers: Fits = new Map([
  ...common,
  ['outputSchema', schemaFit],
  ['annotations', objectWith(hintMembers)],
  ['execution', objectWith(new Map([['taskSupport', oneOf('required', 'optional', 'forbidden')]]))],
]);

const promptMembers: Fits = new Map([...common, ['arguments', listOf(named('name', argumentMembers))]]);

const resourceMembers: Fits = new Map([
  ...common,
  ['name', text],
  ['mimeType', text],
  ['size', number],
  ['annotations', objectWith(audienceMembers)],
]);
