/**
 * What an answer of the proxy tool says about itself: as annotations, which Magg's clients read, and once more in `_meta`,
 * because the MCP SDKs drop annotations they do not know.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { ProxyType } from './proxy-request.ts';

export const proxyMetaKey = 'app.tooltray/proxy';

export interface ProxyFacts {
  readonly proxyAction: 'list' | 'info' | 'call';
  readonly proxyType: ProxyType;
  readonly proxyPath?: string;
  /** The Python class that Magg's clients decode it as. */
  readonly pythonType?: string;
  readonly many?: boolean;
  readonly totalCount?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** A content item with the facts beside what it said already. */
export function withFacts(item: JsonObject, facts: ProxyFacts, meta: JsonObject = {}): JsonObject {
  const { annotations, _meta } = item;
  return {
    ...item,
    annotations: { ...(isObject(annotations) && annotations), ...facts },
    _meta: { ...(isObject(_meta) && _meta), [proxyMetaKey]: { ...facts, ...meta } },
  };
}

/** A value as an embedded JSON resource. */
export function jsonItem(uri: string, value: unknown, facts: ProxyFacts): JsonObject {
  const resource = { uri, mimeType: 'application/json', text: JSON.stringify(value) };
  return withFacts({ type: 'resource', resource }, facts);
}
