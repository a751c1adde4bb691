/** Reading jsonc-parser's nodes as plain values, where a key such as `__proto__` is a key like any other. */
import type { Node } from 'jsonc-parser';

export interface Property {
  readonly key: string;
  readonly keyNode: Node;
  readonly valueNode: Node;
  /** The node of key and value together. */
  readonly node: Node;
}

/** The properties of an object in file order, duplicates included; none for any other node. */
export function propertiesOf(node: Node | undefined): Property[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((child) => {
    const [keyNode, valueNode] = child.children ?? [];
    if (keyNode === undefined || valueNode === undefined) return [];
    return [{ key: String(keyNode.value), keyNode, valueNode, node: child }];
  });
}

/** The property of that name; of duplicates the last, as JSON.parse has it. */
export function findProperty(node: Node | undefined, key: string): Property | undefined {
  return propertiesOf(node).findLast((property) => property.key === key);
}

/** The value a node stands for. */
export function nodeValue(node: Node): unknown {
  if (node.type === 'object') {
    return Object.fromEntries(propertiesOf(node).map(({ key, valueNode }) => [key, nodeValue(valueNode)]));
  }
  if (node.type === 'array') return (node.children ?? []).map(nodeValue);
  return node.value as unknown;
}

/** The deepest node on the way along `path` that exists. */
export function nodeAt(node: Node, path: readonly PropertyKey[]): Node {
  const [step, ...rest] = path;
  if (step === undefined) return node;
  const next = typeof step === 'number' ? node.children?.[step] : findProperty(node, String(step))?.valueNode;
  return next === undefined ? node : nodeAt(next, rest);
}
