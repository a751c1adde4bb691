/** References inside a JSON document: JSON Pointers in the fragment of a URI. Source: RFC 6901, section 6. */
import { isObject } from './json.ts';

/** The keys of `#/$defs/Page%3CItem%3E`, decoded. Undefined for other kinds of references; empty for `#`. */
export function pointerKeys(reference: unknown): readonly string[] | undefined {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
  return reference
    .split('/')
    .slice(1)
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The part of a document that a reference points to; undefined if there is none. */
export function referredBy(root: unknown, reference: unknown): unknown {
  const keys = pointerKeys(reference);
  if (keys === undefined) return undefined;
  let node: unknown = root;
  for (const key of keys) {
    const isInside = (isObject(node) || Array.isArray(node)) && Object.hasOwn(node, key);
    node = isInside ? (node as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return node;
}

/** Percent-decodes a text; an invalid encoding stays unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
