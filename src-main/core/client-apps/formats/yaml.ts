/**
 * Edits entries in YAML files: positions come from the `yaml` package, and the rest of the text stays; the package's
 * own writer would reformat it.
 */
import {
  cannotEditError,
  cannotReadError,
  type ConfigFormat,
  assertSame,
  valueAt,
  withoutBom,
  setValueAt,
} from './config-format.ts';
import { type Document, isMap, isScalar, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import type { AppEntry } from '../known-app.ts';
import { YamlText } from './yaml-text.ts';

export const yamlFormat: ConfigFormat = { read, set, remove };

type Root = Record<string, unknown>;

function read(text: string): Root {
  return valueOf(parsed(withoutBom(text)));
}

function set(text: string, path: readonly string[], entry: AppEntry): string {
  return edited(text, (source, document) => {
    const wanted = setValueAt(valueOf(document), path, entry);
    const { contents } = document;
    if (contents === null) return { after: source.append(setValueAt({}, path, entry)), wanted };
    if (!isMap(contents)) throw cannotEditError();
    return { after: setBelow(source, contents, path, entry), wanted };
  });
}

function remove(text: string, path: readonly string[]): string {
  return edited(text, (source, document) => {
    const before = valueOf(document);
    if (valueAt(before, path) === undefined) return { after: source.text, wanted: before };
    return { after: removeBelow(source, document.contents, path), wanted: setValueAt(before, path, undefined) };
  });
}

function setBelow(source: YamlText, map: YAMLMap, path: readonly string[], entry: AppEntry): string {
  const [key = '', ...rest] = path;
  const pair = pairOf(map, key);
  const value = rest.reduceRight<unknown>((below, one) => ({ [one]: below }), entry);
  if (pair === undefined) return source.insert(map, { [key]: value });
  if (rest.length === 0) return source.replace(map, pair, { [key]: entry });
  if (isMap(pair.value) && (pair.value.items.length > 0 || rest.length > 1))
    return setBelow(source, pair.value, rest, entry);
  // A block replaces an empty value, `null` or `{}`.
  return source.fill(pair, value);
}

function removeBelow(source: YamlText, map: unknown, path: readonly string[]): string {
  const [key = '', ...rest] = path;
  const pair = isMap(map) ? pairOf(map, key) : undefined;
  if (pair === undefined || !isMap(map)) throw cannotEditError();
  if (rest.length > 1) return removeBelow(source, pair.value, rest);
  const child = isMap(pair.value) ? pairOf(pair.value, rest[0] ?? '') : undefined;
  if (child === undefined || !isMap(pair.value)) throw cannotEditError();
  return source.remove(pair, pair.value, child);
}

function pairOf(map: YAMLMap, key: string): Pair<Scalar> | undefined {
  return map.items.find((pair): pair is Pair<Scalar> => isScalar(pair.key) && pair.key.value === key);
}

function edited(
  text: string,
  edit: (source: YamlText, document: Document) => { readonly after: string; readonly wanted: Root },
): string {
  const plain = withoutBom(text);
  const { after, wanted } = edit(new YamlText(plain), parsed(plain));
  assertSame(() => valueOf(parsed(after)), wanted);
  return text.slice(0, text.length - plain.length) + after;
}

function parsed(text: string): Document {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw cannotReadError(problem.message.split('\n')[0] ?? '', problem);
  return document;
}

function valueOf(document: Document): Root {
  const value = document.toJS() as unknown;
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw cannotReadError('it contains no settings.');
  return value as Root;
}
