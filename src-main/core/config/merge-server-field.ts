/** Sets one field of a server in the text of a config file, leaving alone what is not mentioned of objects like `env`. */
import { isObject, type JsonObject } from '../base/json.ts';
import { setServerField, writtenField } from './edit-config.ts';

/**
 * null takes the field out; an object is merged into the one that is there, key by key and in the same way; anything else
 * replaces what is there. Works on what is written, so that `${env:NAME}` stays. Throws as setServerField does.
 */
export function mergeServerField(text: string, name: string, key: string, value: unknown): string {
  if (value === null) return setServerField(text, name, key, undefined);
  return setServerField(text, name, key, isObject(value) ? merge(writtenField(text, name, key), value) : value);
}

function merge(written: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(written) ? Object.entries(written) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? merge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}
