/** A content item of a proxy's answer: what the proxy says of it, and the item without that. */
import { proxyMetaKey } from '../core/compat/magg/proxy-meta.ts';

type Members = Record<string, unknown>;

const ownAnnotations: ReadonlySet<string> = new Set(['proxyAction', 'proxyType', 'proxyPath']);

/** The core's own test knows numbers that only newer Node.js can hold; this library runs in other people's programs. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** From `_meta`, which clients keep; a proxy that writes none has them in the annotations. */
export function proxyFactsOf({ _meta, annotations }: Members): Members {
  const facts = isObject(_meta) ? _meta[proxyMetaKey] : undefined;
  if (isObject(facts)) return facts;
  return isObject(annotations) ? annotations : {};
}

export function plainItem({ annotations, _meta, ...item }: Members): Members {
  return {
    ...item,
    ...without('annotations', annotations, (key) => ownAnnotations.has(key)),
    ...without('_meta', _meta, (key) => key === proxyMetaKey),
  };
}

/** The member without these keys, or no member where nothing else was in it. */
function without(name: string, value: unknown, isOurs: (key: string) => boolean): Members {
  const rest = Object.entries(isObject(value) ? value : {}).filter(([key]) => !isOurs(key));
  return rest.length === 0 ? {} : { [name]: Object.fromEntries(rest) };
}
