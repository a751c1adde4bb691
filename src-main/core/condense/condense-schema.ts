/** An input schema cut down to what a call needs: names, types, allowed values, and what is required. */

import { isObject, type JsonObject } from '../base/json.ts';

/**
 * Condenses as ToolMux does, but keeps `enum` and `const`: without them a model guesses the values.
 * Takes anything; what is no schema of an object becomes `{"type":"object"}`.
 */
export function condenseSchema(schema: unknown): JsonObject {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(schema) || !isObject(properties) || Object.keys(properties).length === 0) return { type: 'object' };
  const condensed: JsonObject = {
    type: 'object',
    // fromEntries defines own properties, also one called "__proto__".
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, condenseProperty(property)]),
    ),
  };
  const required = schema['required'];
  if (Array.isArray(required) && required.length > 0) condensed['required'] = required;
  return condensed;
}

function condenseProperty(property: unknown): JsonObject {
  const kept = typeAndValues(property);
  if (isObject(property) && isObject(property['items']) && includesArray(kept['type'])) {
    kept['items'] = typeAndValues(property['items']);
  }
  return kept;
}

function typeAndValues(schema: unknown): JsonObject {
  const kept: JsonObject = {};
  if (!isObject(schema)) return kept;
  if (typeof schema['type'] === 'string' || Array.isArray(schema['type'])) kept['type'] = schema['type'];
  if (Array.isArray(schema['enum'])) kept['enum'] = schema['enum'];
  if (Object.hasOwn(schema, 'const')) kept['const'] = schema['const'];
  return kept;
}

function includesArray(type: unknown): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}
