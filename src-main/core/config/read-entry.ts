/** Reads one server entry, in whichever product's spelling, into our field names; what is wrong goes into the document. */
import type { Node } from 'jsonc-parser';
import type { z } from 'zod';
import { closestWord } from '../base/wording.ts';
import type { ConfigProblem } from './app-config.ts';
import type { ConfigDocument } from './config-document.ts';
import { findProperty, nodeAt, nodeValue, propertiesOf, type Property } from './json-text.ts';
import { type Entry, entryFields, entrySchema, uncompiled } from './schema.ts';

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
    for (const property of this.#properties.values()) {
      const { key, keyNode, valueNode } = property;
      const field = fieldOf(property);
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

/** Our name for a key. `transport` is a type when it is a text, and Magg's settings when it is an object; `auth` as an object is Cursor's client. */
export function fieldOf({ key, valueNode }: Property): string {
  if (key === 'transport' && valueNode.type === 'string') return 'type';
  if (key === 'auth' && valueNode.type === 'object') return 'oauth';
  return keyAliases.get(key) ?? key;
}

// Finds where a config file keeps its servers, whichever product wrote it.

/** `servers`: ours, ToolMux, VS Code, Magg. `mcpServers`: the common one; as a list: MCPProxy. The first wins on a clash of names. */
export const containerKeys = ['servers', 'mcpServers'] as const;

export interface ServerContainer {
  readonly key: (typeof containerKeys)[number];
  /** The object or list; any other node is a mistake in the file. */
  readonly node: Node;
  readonly entries: readonly ContainerEntry[];
}

export interface ContainerEntry {
  /** Undefined in a list whose item has no name. */
  readonly name: string | undefined;
  readonly path: readonly PropertyKey[];
  /** What the name is written in, for pointing at the entry as a whole. */
  readonly nameNode: Node;
  readonly valueNode: Node;
  /** The property or list item. */
  readonly child: Node;
}

/** The containers a file has, in the order of `containerKeys`. */
export function findContainers(root: Node): ServerContainer[] {
  return containerKeys.flatMap((key) => {
    const node = findProperty(root, key)?.valueNode;
    return node === undefined
      ? []
      : [{ key, node, entries: node.type === 'array' ? items(key, node) : members(key, node) }];
  });
}

function members(container: string, node: Node): ContainerEntry[] {
  return propertiesOf(node).map(({ key, keyNode, valueNode, node: child }) => {
    return { name: key, path: [container, key], nameNode: keyNode, valueNode, child };
  });
}

function items(container: string, node: Node): ContainerEntry[] {
  return (node.children ?? []).map((item, index) => {
    const named = findProperty(item, 'name')?.valueNode;
    const name = named?.type === 'string' && named.value !== '' ? String(named.value) : undefined;
    return { name, path: [container, index], nameNode: named ?? item, valueNode: item, child: item };
  });
}

// What a failed check means, in words for the person who wrote the file. Never quotes the value: it may be a secret.

const kinds: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object with names and values',
  record: 'an object with names and values',
  string: 'text in double quotes',
};

/** A full sentence for one issue of zod's. */
export function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${kinds[issue.expected] ?? issue.expected} is expected here.`.replace(/^\w/, (letter) =>
        letter.toUpperCase(),
      );
    case 'invalid_union':
      return 'Text in double quotes is expected here.';
    case 'invalid_value':
      return `This must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`;
    case 'too_small':
      if (issue.origin === 'string') return 'This text must not be empty.';
      return `This must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}.`;
    case 'too_big':
      return `This must be at most ${issue.maximum}.`;
    default:
      return `${issue.message}.`;
  }
}

// How other products spell the keys of a server entry, and which of their keys have no effect here.

/** Their key → our field. Windsurf: serverUrl; Gemini: httpUrl; ToolMux: base_url; Magg: uri; MCPProxy: working_dir, protocol, *_tools; Gemini: *Tools. */
export const keyAliases: ReadonlyMap<string, string> = new Map([
  ['base_url', 'url'],
  ['uri', 'url'],
  ['serverUrl', 'url'],
  ['httpUrl', 'url'],
  ['working_dir', 'cwd'],
  ['env_vars', 'env'],
  ['protocol', 'type'],
  ['disabled_tools', 'disabledTools'],
  ['excludeTools', 'disabledTools'],
  ['enabled_tools', 'enabledTools'],
  ['includeTools', 'enabledTools'],
]);

/** Keys of other products that say nothing about how to reach or treat a server here. */
export const harmlessKeys: ReadonlySet<string> = new Set([
  ...['name', 'source', 'notes', 'autoApprove', 'alwaysAllow', 'alwaysLoad', 'trust', 'gallery', 'version', 'dev'],
  ...['created', 'updated', 'sse_endpoint', 'reconnect_on_use', 'expose_prompts', 'source_registry_id'],
  ...['source_registry_provenance', 'skip_quarantine', 'auto_approve_tool_changes', 'icon'],
  ...['shared', '_backend_tools'],
]);

/** Keys of other products whose effect is lost here, with what a person should know. */
export const lostKeys: ReadonlyMap<string, string> = new Map([
  ['envFile', 'Tooltray does not read env files. Put the values in "env", as "${env:NAME}" where they are secret.'],
  ['auth', 'Tooltray signs in by itself when the server asks for it; these settings are not used.'],
  ['trust_mode', 'What becomes of a tool that changes is said for all servers: "reviews.onChange".'],
  ['toon_output', 'TOON is set for all servers, in "results.toon".'],
  ['launcher_wait_timeout', 'Tooltray starts a command or connects to an address, not both.'],
  ['annotation_overrides', 'Hints of tools are used as the server gives them.'],
  ['health_check_interval', 'Tooltray looks after its servers at times of its own.'],
  ['tool_discovery_interval', 'Tooltray looks after its servers at times of its own.'],
  ['max_concurrent_requests', 'Tooltray does not limit how many calls run at once.'],
  ['queue_size', 'Tooltray does not limit how many calls run at once.'],
  ['queue_timeout', 'Tooltray does not limit how many calls run at once.'],
  ['auth_broker', 'Tooltray serves one person.'],
]);

/** Transport names of all products, without case, `-` and `_`. `auto` (MCPProxy) leaves it to what else is there. */
export const kindByType: ReadonlyMap<string, 'stdio' | 'http' | 'sse' | 'builtin' | 'auto'> = new Map([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['streamablehttp', 'http'],
  ['sse', 'sse'],
  ['builtin', 'builtin'],
  ['auto', 'auto'],
]);
