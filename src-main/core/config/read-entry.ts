/** Reads one server entry, in whichever product's spelling, into our field names; what is wrong goes into the document. */
import type { Node } from 'jsonc-parser';
import type { ConfigProblem } from './app-config.ts';
import { closestWord } from './closest-word.ts';
import type { ConfigDocument } from './config-document.ts';
import { harmlessKeys, keyAliases, lostKeys } from './entry-keys.ts';
import { issueText } from './issue-text.ts';
import { nodeAt, nodeValue, type Property, propertiesOf } from './json-node.ts';
import { type Entry, entryFields, entrySchema, uncompiled } from './schema.ts';
import type { ContainerEntry } from './server-container.ts';

/** One entry being read: knows where each field was written, and whether the entry can be used. */
export class EntryReader {
  readonly name: string;
  failed = false;
  readonly #document: ConfigDocument;
  readonly #entry: ContainerEntry;
  readonly #properties = new Map<string, Property>();

  constructor(document: ConfigDocument, entry: ContainerEntry, name: string) {
    this.name = name;
    this.#document = document;
    this.#entry = entry;
    for (const property of propertiesOf(entry.valueNode)) this.#properties.set(fieldOf(property), property);
  }

  /** The fields under our names, checked. A field that is wrong is left out and makes the entry fail. */
  read(): Entry {
    if (this.#entry.valueNode.type !== 'object') {
      this.report('error', [], 'An object is expected here.', 'Write { "command": … } or { "url": … }.');
      return {};
    }
    this.#checkKeys();
    const written = [...this.#properties].filter(
      ([field, { valueNode }]) => entryFields.includes(field) && valueNode.type !== 'null',
    );
    const checked = entrySchema.safeParse(
      Object.fromEntries(written.map(([field, { valueNode }]) => [field, nodeValue(valueNode)])),
      uncompiled,
    );
    for (const issue of checked.error?.issues ?? []) this.report('error', issue.path, issueText(issue));
    return checked.data ?? {};
  }

  /** The key a field was written under, as other products spell it; undefined when it was left out. */
  keyOf(field: string): string | undefined {
    return this.#properties.get(field)?.key;
  }

  has(key: string): boolean {
    return [...this.#properties.values()].some((property) => property.key === key);
  }

  /** Notes a problem at a field (`path` starts with our name of it), or at the entry as a whole for an empty path. */
  report(severity: ConfigProblem['severity'], path: readonly PropertyKey[], reason: string, suggestion?: string): void {
    if (severity === 'error') this.failed = true;
    const [field, ...rest] = path;
    const property = field === undefined ? undefined : this.#properties.get(String(field));
    const place: Node = property === undefined ? this.#entry.nameNode : nodeAt(property.valueNode, rest);
    const written = field === undefined ? [] : [property?.key ?? field, ...rest];
    this.#document.report(severity, place, [...this.#entry.path, ...written], reason, {
      suggestion,
      server: this.name,
    });
  }

  #checkKeys(): void {
    for (const { key, keyNode, valueNode } of this.#properties.values()) {
      const field = keyAliases.get(key) ?? key;
      if (entryFields.includes(field) || harmlessKeys.has(key) || /^[_$]/.test(key) || valueNode.type === 'null')
        continue;
      const lost = lostKeys.get(key);
      const meant = closestWord(key, [...entryFields, ...keyAliases.keys()]);
      const reason =
        lost === undefined ? `The key ${JSON.stringify(key)} is not known.` : `The key "${key}" has no effect.`;
      const suggestion = lost ?? (meant === undefined ? undefined : `Did you mean "${meant}"?`);
      this.#document.report('warning', keyNode, [...this.#entry.path, key], reason, { suggestion, server: this.name });
    }
  }
}

/** Our name for a key. `transport` is a type when it is a text, and Magg's settings when it is an object. */
export function fieldOf({ key, valueNode }: Property): string {
  if (key === 'transport' && valueNode.type === 'string') return 'type';
  return keyAliases.get(key) ?? key;
}
