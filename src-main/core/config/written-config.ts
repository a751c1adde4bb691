/** What a config file says as it is written: placeholders, spellings of other products and all. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../base/json.ts';
import { CheckedEdit } from './checked-edit.ts';
import { requireServer, setServerField } from './edit-config.ts';
import { keyAliases } from './entry-keys.ts';
import { findProperty, nodeValue } from './json-node.ts';

/** The entry of a server. Throws `server_not_found` or `config_invalid`. */
export function writtenEntry(text: string, name: string): JsonObject {
  const value = nodeValue(requireServer(new CheckedEdit(text), name).entry.valueNode);
  return isObject(value) ? value : {};
}

/** A key beside the servers; undefined where it is not there. Throws `config_invalid`. */
export function writtenSetting(text: string, key: string): unknown {
  const node = findProperty(new CheckedEdit(text).root, key)?.valueNode;
  return node === undefined ? undefined : nodeValue(node);
}

/** Makes an entry say what `entry` says, field by field, so that what stays the same keeps its comments. Throws as setServerField does. */
export function replaceEntry(text: string, name: string, entry: JsonObject): string {
  const before = writtenEntry(text, name);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(entry)])].filter((key) => key !== 'name');
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], entry[key]));
  return changed.reduce((edited, key) => setServerField(edited, name, keyAliases.get(key) ?? key, entry[key]), text);
}
