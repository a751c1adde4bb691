/** Whether a server's schema may be compiled here at all: small with every reference followed, and without recursion. */
import { isObject } from '../base/json.ts';

/** Nodes of the schema with its references followed. `$defs` that double from one to the next reach any number in a few lines. */
const mostNodes = 5000;

/**
 * A validator runs in the core, for everybody: a schema that makes it slow is left to its server.
 * Recursive schemas are left out because their cost depends on the arguments; `patternProperties` because its patterns do.
 */
export function isCheckable(schema: unknown): boolean {
  return new Walk(schema).isBounded(schema, []);
}

const uncheckable = ['patternProperties', '$dynamicRef', '$recursiveRef'];
/** What costs nothing unless something refers to it, and what is no schema. */
const asides = new Set(['$defs', 'definitions', 'enum', 'const', 'default', 'examples']);
/** Keywords whose members are schemas under names that the server chose. */
const maps = new Set(['properties', 'dependentSchemas']);

class Walk {
  readonly #root: unknown;
  #nodes = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  isBounded(node: unknown, above: readonly unknown[]): boolean {
    if ((this.#nodes += 1) > mostNodes) return false;
    if (Array.isArray(node)) return node.every((item) => this.isBounded(item, above));
    if (!isObject(node)) return true;
    // References inside a schema that has an id of its own start from there.
    if (above.includes(node) || (node !== this.#root && Object.hasOwn(node, '$id'))) return false;
    if (uncheckable.some((key) => Object.hasOwn(node, key))) return false;
    const path = [...above, node];
    return Object.entries(node).every(([key, value]) => {
      if (asides.has(key)) return true;
      if (key === '$ref') return this.#isBoundedReference(value, path);
      if (maps.has(key) && isObject(value)) return Object.values(value).every((schema) => this.isBounded(schema, path));
      return this.isBounded(value, path);
    });
  }

  /** Where it leads nowhere the schema does not compile anyway. */
  #isBoundedReference(reference: unknown, path: readonly unknown[]): boolean {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
    let node = this.#root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }
    return node !== undefined && this.isBounded(node, path);
  }
}
