/** Entries in JSON files, with or without comments and trailing commas. */
import type { Node } from 'jsonc-parser';
import { AppError } from '../../base/errors.ts';
import { VerifiedEdit } from '../../config/verified-edit.ts';
import {
  findProperty,
  insertLast,
  nodeValue,
  propertiesOf,
  removeChild,
  replaceValue,
} from '../../config/jsonc-text.ts';
import type { AppEntry } from '../known-app.ts';
import { type ConfigFormat, setValueAt } from './config-format.ts';

export const jsoncFormat: ConfigFormat = { read, set, remove };

function read(text: string): Record<string, unknown> {
  return nodeValue(new VerifiedEdit(text).root) as Record<string, unknown>;
}

function set(text: string, path: readonly string[], entry: AppEntry): string {
  const edit = new VerifiedEdit(text);
  const { node, missing } = walk(edit.root, path);
  const wanted = setValueAt(edit.value(), path, entry);
  const value = missing.slice(1).reduceRight<unknown>((below, key) => ({ [key]: below }), entry);
  const [key] = missing;
  edit.apply((source) => {
    // `null` in place of entries is replaced.
    if (key === undefined) return replaceValue(source, node, entry);
    return node.type === 'null' ? replaceValue(source, node, { [key]: value }) : insertLast(source, node, key, value);
  }, wanted);
  return edit.text;
}

function remove(text: string, path: readonly string[]): string {
  const edit = new VerifiedEdit(text);
  const { missing } = walk(edit.root, path);
  if (missing.length > 0) return text;
  const { node: container } = walk(edit.root, path.slice(0, -1));
  const property = findProperty(container, path.at(-1) ?? '');
  if (property === undefined) return text;
  edit.apply((source) => removeChild(source, container, property.node), setValueAt(edit.value(), path, undefined));
  return edit.text;
}

interface Way {
  /** The deepest existing node on the path. */
  readonly node: Node;
  /** The missing keys. */
  readonly missing: readonly string[];
}

function walk(node: Node, path: readonly string[]): Way {
  const [key, ...rest] = path;
  if (key === undefined) return { node, missing: [] };
  if (node.type !== 'object' && node.type !== 'null') throw notAnObject(key);
  const found = propertiesOf(node).filter((property) => property.key === key);
  // It is unknown which of two an app reads.
  if (found.length > 1) throw twice(key);
  return found[0] === undefined ? { node, missing: path } : walk(found[0].valueNode, rest);
}

function twice(key: string): AppError {
  return new AppError('config_invalid', `"${key}" occurs twice in the file.`, { fix: 'Remove one of them first.' });
}

function notAnObject(key: string): AppError {
  return new AppError('config_invalid', `The file has an unexpected value at "${key}".`, {
    fix: 'Correct the file first.',
  });
}
