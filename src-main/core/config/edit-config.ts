/** Edits the text of a config file in its own format, preserving comments, order and layout. */
import { defineMember, isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { AppError } from '../base/errors.ts';
import { VerifiedEdit } from './verified-edit.ts';
import {
  findProperty,
  insertLast,
  nodeValue,
  type Property,
  propertiesOf,
  removeChild,
  replaceValue,
} from './jsonc-text.ts';
import { type ContainerEntry, findContainers, type ServerContainer } from './containers.ts';
import type { KeyRule } from './dialects/dialect.ts';
import { fieldOfKey, ruleOfKey } from './dialects/read-entry.ts';

/** A server entry as written to the file, with our own key names (schema.ts). */
export type RawEntry = Readonly<Record<string, unknown>>;

/** Appends a server. Throws `config_conflict` if the name is taken, `config_invalid` if the text cannot be edited. */
export function addServer(text: string, name: string, entry: RawEntry): string {
  const edit = new VerifiedEdit(text);
  const containers = findContainers(edit.root);
  if (entriesNamed(containers, name).length > 0) {
    throw new AppError('config_conflict', `A server named "${name}" already exists.`, {
      fix: 'Choose another name.',
    });
  }
  const [container] = containers;
  if (container === undefined || container.node.type === 'null')
    return setTopLevel(text, container?.key ?? 'servers', { [name]: entry });
  requireContainer(container);
  const wanted = edit.value();
  const isList = container.node.type === 'array';
  const written = isList ? { name, ...entry } : entry;
  if (isList) (wanted[container.key] as unknown[]).push(written);
  else setKey(wanted[container.key], name, written);
  edit.apply((source) => insertLast(source, container.node, isList ? undefined : name, written), wanted);
  return edit.text;
}

/** Whether the file has an entry of that name, valid or not. Throws `config_invalid`. */
export function hasServer(text: string, name: string): boolean {
  return entriesNamed(findContainers(new VerifiedEdit(text).root), name).length > 0;
}

/** Removes all entries of a server. Throws `server_not_found` or `config_invalid`. */
export function removeServer(text: string, name: string): string {
  const edit = new VerifiedEdit(text);
  requireServer(edit, name);
  for (;;) {
    const containers = findContainers(edit.root);
    // From the last one on, because JSON.parse uses the last of equal keys.
    const found = entriesNamed(containers, name).at(-1);
    if (found === undefined) return edit.text;
    const { container, entry } = found;
    const rest = container.entries.filter((other) => other !== entry);
    const wanted = edit.value();
    setKey(wanted, container.key, valueOf(container, rest));
    edit.apply((source) => removeChild(source, container.node, entry.child), wanted);
  }
}

/**
 * Sets a field of a server (a key of schema.ts), under the name that the file uses for it; `undefined` removes it.
 * Throws `server_not_found` or `config_invalid`.
 */
export function setServerField(text: string, name: string, key: string, value: unknown): string {
  const edit = new VerifiedEdit(text);
  const { entry } = requireServer(edit, name);
  const node = entry.valueNode;
  if (node.type !== 'object') throw new AppError('config_invalid', `The entry of "${name}" must be an object.`);
  const known = propertiesOf(node).findLast((property) => ruleOf(property)?.field === key);
  const form = known === undefined ? 'same' : ruleOf(known)?.form;
  // The key uses another unit or notation: it is replaced by Tooltray's own key.
  if (known !== undefined && form !== 'same' && form !== 'not') {
    const without = withoutKey(text, name, known.key);
    return value === undefined ? without : setServerField(without, name, key, value);
  }
  // Cline and others invert the switch.
  const isInverse = form === 'not' && value !== undefined;
  const [writtenKey, writtenValue] = [known?.key ?? key, isInverse ? value === false : value];
  const wanted = edit.value();
  setKey(
    entry.path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], wanted),
    writtenKey,
    writtenValue,
  );
  setProperty(edit, node, writtenKey, writtenValue, wanted);
  return edit.text;
}

function ruleOf({ key, valueNode }: Property): KeyRule | undefined {
  return ruleOfKey(key, valueNode.type === 'object' ? {} : valueNode.value);
}

function withoutKey(text: string, name: string, key: string): string {
  const edit = new VerifiedEdit(text);
  const { entry } = requireServer(edit, name);
  const wanted = edit.value();
  const at = entry.path.reduce<unknown>((one, step) => (one as Record<PropertyKey, unknown>)[step], wanted);
  setKey(at, key, undefined);
  setProperty(edit, entry.valueNode, key, undefined, wanted);
  return edit.text;
}

/** Returns the raw value of a server's field (a key of schema.ts), placeholders included. Throws `server_not_found`. */
export function rawField(text: string, name: string, key: string): unknown {
  const { entry } = requireServer(new VerifiedEdit(text), name);
  const property = propertiesOf(entry.valueNode).findLast((one) => ruleOf(one)?.field === key);
  return property === undefined ? undefined : nodeValue(property.valueNode);
}

/** Sets a key outside of the servers; `undefined` removes it. Throws `config_invalid`. */
export function setTopLevel(text: string, key: string, value: unknown): string {
  const edit = new VerifiedEdit(text);
  const wanted = edit.value();
  setKey(wanted, key, value);
  setProperty(edit, edit.root, key, value, wanted);
  return edit.text;
}

function setProperty(edit: VerifiedEdit, object: Node, key: string, value: unknown, wanted: unknown): void {
  const existing = findProperty(object, key);
  if (value === undefined && existing === undefined) return;
  edit.apply((source) => {
    if (existing === undefined) return insertLast(source, object, key, value);
    return value === undefined
      ? removeChild(source, object, existing.node)
      : replaceValue(source, existing.valueNode, value);
  }, wanted);
}

interface FoundEntry {
  readonly container: ServerContainer;
  readonly entry: ContainerEntry;
}

function entriesNamed(containers: readonly ServerContainer[], name: string): FoundEntry[] {
  return containers.flatMap((container) =>
    container.entries.filter((entry) => entry.name === name).map((entry) => ({ container, entry })),
  );
}

/** The entry in effect: the last of that name in the first container that has it. */
function requireServer(edit: VerifiedEdit, name: string): FoundEntry {
  const found = entriesNamed(findContainers(edit.root), name);
  const first = found[0]?.container.key;
  const counting = found.findLast(({ container }) => container.key === first);
  if (counting !== undefined) return counting;
  throw new AppError('server_not_found', `No server named "${name}" in the config file.`, {
    fix: 'Check the name.',
  });
}

function requireContainer({ key, node }: ServerContainer): void {
  if (node.type === 'object' || node.type === 'array') return;
  throw new AppError('config_invalid', `"${key}" is ${node.type}; an object is expected.`, {
    fix: 'Correct the file first.',
  });
}

function valueOf(container: ServerContainer, entries: readonly ContainerEntry[]): unknown {
  if (container.node.type === 'array') return entries.map(({ valueNode }) => nodeValue(valueNode));
  return Object.fromEntries(entries.map(({ name, valueNode }) => [name ?? '', nodeValue(valueNode)]));
}

/** Assignment that treats `__proto__` as any other key. */
function setKey(target: unknown, key: string, value: unknown): void {
  const object = target as Record<string, unknown>;
  if (value === undefined) Reflect.deleteProperty(object, key);
  else defineMember(object, key, value);
}

// Sets a field of a server, preserving unmentioned members of objects such as `env`.

/**
 * null removes the field; an object is merged recursively; anything else replaces the value. Works on the text, so
 * that `${env:NAME}` stays. Throws as setServerField does.
 */
export function mergeServerField(text: string, name: string, key: string, value: unknown): string {
  if (value === null) return setServerField(text, name, key, undefined);
  return setServerField(text, name, key, isObject(value) ? merge(rawField(text, name, key), value) : value);
}

function merge(written: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(written) ? Object.entries(written) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? merge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

// Reads a config file verbatim, with placeholders and other products' spellings.

/** The entry of a server. Throws `server_not_found` or `config_invalid`. */
export function rawEntry(text: string, name: string): JsonObject {
  const value = nodeValue(requireServer(new VerifiedEdit(text), name).entry.valueNode);
  return objectOrEmpty(value);
}

/** A key outside of the servers; undefined if absent. Throws `config_invalid`. */
export function rawSetting(text: string, key: string): unknown {
  const node = findProperty(new VerifiedEdit(text).root, key)?.valueNode;
  return node === undefined ? undefined : nodeValue(node);
}

/**
 * Changes an entry to `entry`, field by field, so that unchanged fields keep their comments. Throws as setServerField
 * does.
 */
export function replaceEntry(text: string, name: string, entry: JsonObject): string {
  const before = rawEntry(text, name);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(entry)])].filter((key) => key !== 'name');
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], entry[key]));
  return changed.reduce((edited, key) => setServerField(edited, name, fieldOfKey(key), entry[key]), text);
}
