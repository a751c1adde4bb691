/** A content item of a proxy's answer: what the proxy says of it, and the item without that. */
import { isObject, type JsonObject } from '../core/base/json.ts';
import { proxyMetaKey } from '../core/modes/universal/proxy-facts.ts';

const ownAnnotations: ReadonlySet<string> = new Set(['proxyAction', 'proxyType', 'proxyPath']);

/** From `_meta`, which clients keep; a proxy that writes none has them in the annotations. */
export function proxyFactsOf({ _meta, annotations }: JsonObject): JsonObject {
  const facts = isObject(_meta) ? _meta[proxyMetaKey] : undefined;
  if (isObject(facts)) return facts;
  return isObject(annotations) ? annotations : {};
}

export function plainItem({ annotations, _meta, ...item }: JsonObject): JsonObject {
  return {
    ...item,
    ...without('annotations', annotations, (key) => ownAnnotations.has(key)),
    ...without('_meta', _meta, (key) => key === proxyMetaKey),
  };
}

/** The member without these keys, or no member where nothing else was in it. */
function without(name: string, value: unknown, isOurs: (key: string) => boolean): JsonObject {
  const rest = Object.entries(isObject(value) ? value : {}).filter(([key]) => !isOurs(key));
  return rest.length === 0 ? {} : { [name]: Object.fromEntries(rest) };
}
