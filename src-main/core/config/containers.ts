/** Finds the server containers in a config file, our own or one used as ours. */
import type { Node } from 'jsonc-parser';
import { findProperty, propertiesOf } from './jsonc-text.ts';

/**
 * `servers`: ours, ToolMux, VS Code, Magg. `mcpServers`: most products; as a list: MCPProxy. The first takes
 * precedence for equal
 * names.
 */
export const containerKeys = ['servers', 'mcpServers'] as const;

export interface ServerContainer {
  readonly key: (typeof containerKeys)[number];
  /** The object or list; any other node is an error in the file. */
  readonly node: Node;
  readonly entries: readonly ContainerEntry[];
}

export interface ContainerEntry {
  /** Undefined for a list item without a name. */
  readonly name: string | undefined;
  readonly path: readonly PropertyKey[];
  /** Node of the name, to point at the whole entry. */
  readonly nameNode: Node;
  readonly valueNode: Node;
  /** The property or list item. */
  readonly child: Node;
}

/** The containers in a file, in the order of `containerKeys`. */
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
