/** Finds where a config file of Tooltray, or one that is used as ours, keeps its servers. */
import type { Node } from 'jsonc-parser';
import { findProperty, propertiesOf } from './jsonc-text.ts';

/**
 * `servers`: ours, ToolMux, VS Code, Magg. `mcpServers`: the common one; as a list: MCPProxy. The first wins on a clash
 * of names.
 */
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
  /** Node of the name, used to point at the whole entry. */
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
