/** Reads one server entry of a config file, and reports every problem at its position in the text. */
import type { Node } from 'jsonc-parser';
import type { ConfigProblem } from './app-config.ts';
import type { ConfigDocument } from './config-document.ts';
import type { ContainerEntry } from './containers.ts';
import { type EntryProblem, type EntryReading, readEntry } from './dialects/read-entry.ts';
import type { FoundEntry } from './dialects/find-servers.ts';
import { nodeAt, nodeValue, propertiesOf } from './jsonc-text.ts';
import type { ServerEntry } from './schema.ts';

export class EntryReader {
  readonly name: string;
  failed = false;
  /** Whether a placeholder cannot be filled: the server exists and cannot be started. */
  hasUnfilled = false;
  readonly #document: ConfigDocument;
  readonly #entry: ContainerEntry;
  readonly #found: Pick<FoundEntry, 'dialect' | 'policy'>;
  #reading: EntryReading | undefined;

  constructor(
    document: ConfigDocument,
    entry: ContainerEntry,
    name: string,
    found: Pick<FoundEntry, 'dialect' | 'policy'>,
  ) {
    this.name = name;
    this.#document = document;
    this.#entry = entry;
    this.#found = found;
  }

  /** The validated fields under our names; undefined if the entry cannot be used. `home`: the user's home folder. */
  read(home: string): ServerEntry | undefined {
    const { dialect, policy } = this.#found;
    const reading = readEntry(nodeValue(this.#entry.valueNode), { dialect, policy, home });
    this.#reading = reading;
    for (const problem of reading.problems) this.#reportRead(problem);
    this.#reportDoubleKeys();
    return this.failed ? undefined : reading.entry;
  }

  /** Reports a problem at a field (`path` starts with our name for it), or for the whole entry if the path is empty. */
  report(severity: ConfigProblem['severity'], path: readonly PropertyKey[], reason: string, suggestion?: string): void {
    const [field, ...rest] = path;
    const written = field === undefined ? [] : [...(this.#reading?.places.get(String(field)) ?? [field]), ...rest];
    this.#reportAt(severity, written, reason, suggestion);
  }

  #reportRead({ severity, path, reason, suggestion }: EntryProblem): void {
    if (severity === 'note') return;
    if (severity === 'unfilled') this.hasUnfilled = true;
    this.#reportAt(severity === 'unfilled' ? 'warning' : severity, path, reason, suggestion);
  }

  #reportAt(
    severity: ConfigProblem['severity'],
    path: readonly PropertyKey[],
    reason: string,
    suggestion?: string,
  ): void {
    if (severity === 'error') this.failed = true;
    this.#document.report(severity, this.#place(severity, path), [...this.#entry.path, ...path], reason, {
      suggestion,
      server: this.name,
    });
  }

  /** A warning points at the key, an error at its value. */
  #place(severity: ConfigProblem['severity'], path: readonly PropertyKey[]): Node {
    const { valueNode, nameNode } = this.#entry;
    if (path.length === 0) return nameNode;
    const parent = nodeAt(valueNode, path.slice(0, -1));
    const property = propertiesOf(parent).findLast(({ key }) => key === path.at(-1));
    if (severity === 'warning' && property !== undefined && path.length <= 2) return property.keyNode;
    const node = nodeAt(valueNode, path);
    return node === valueNode ? nameNode : node;
  }

  /** JSON uses the last of two equal keys, but a reader notices the first. */
  #reportDoubleKeys(): void {
    const seen = new Set<string>();
    for (const { key } of propertiesOf(this.#entry.valueNode)) {
      if (seen.has(key)) this.#reportAt('error', [key], `"${key}" is duplicated.`, 'Keep one of them.');
      seen.add(key);
    }
  }
}
