/** What a server's entry in the config file says for people and for kits, and the core itself does not use. */
import { isObject } from '../base/json.ts';
import { ConfigDocument } from './config-document.ts';
import { nodeValue } from './json-node.ts';
import { findContainers } from './server-container.ts';

export interface EntryNotes {
  /** Where the server comes from, as Magg has it. */
  readonly source: string | undefined;
  readonly notes: string | undefined;
  /** Kits that brought the server. */
  readonly kits: readonly string[];
}

/** By server name; empty where the text cannot be read. */
export function readEntryNotes(text: string): ReadonlyMap<string, EntryNotes> {
  const { root } = new ConfigDocument(text, '');
  const entries = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  return new Map(entries.map(({ name = '', valueNode }) => [name, notesOf(nodeValue(valueNode))]));
}

function notesOf(entry: unknown): EntryNotes {
  const { source, notes, description, kits } = isObject(entry) ? entry : {};
  return {
    source: text(source),
    notes: text(notes) ?? text(description),
    kits: Array.isArray(kits) ? (kits as unknown[]).filter((kit) => typeof kit === 'string') : [],
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
