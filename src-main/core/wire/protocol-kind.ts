/**
 * The two protocols: stateful, with `initialize` and sessions (2024-11-05 to 2025-11-25), and stateless (2026-07-28).
 */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';

export type ProtocolKind = 'legacy' | 'modern';

export const statelessVersion = '2026-07-28';
export const latestStatefulVersion = '2025-11-25';
export const statefulVersions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** Keys of `_meta` in 2026-07-28 (schema.ts, RequestMetaObject and ResultMetaObject). */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

export interface ClientIdentity {
  readonly clientInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly logLevel?: string | undefined;
}

/** Adds the required metadata to the params of a 2026-07-28 request; other members of `_meta` stay. */
export function withRequestMeta(params: JsonObject | undefined, identity: ClientIdentity): JsonObject {
  return {
    ...params,
    _meta: {
      ...metaOf(params),
      [metaKeys.protocolVersion]: statelessVersion,
      [metaKeys.clientCapabilities]: identity.capabilities,
      [metaKeys.clientInfo]: identity.clientInfo,
      ...(identity.logLevel === undefined ? {} : { [metaKeys.logLevel]: identity.logLevel }),
    },
  };
}

/** Params without the metadata of 2026-07-28, for a stateful server. */
export function withoutRequestMeta(params: JsonObject): JsonObject {
  if (!isObject(params['_meta'])) return params;
  const { _meta, ...rest } = params;
  const entries = Object.entries(_meta).filter(([key]) => !envelopeKeys.has(key));
  return entries.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(entries) };
}

export function metaOf(params: JsonObject | undefined): JsonObject {
  return isObject(params?.['_meta']) ? params['_meta'] : {};
}

/** Whether a request uses 2026-07-28, according to its `_meta`. */
export function isStatelessRequest(params: JsonObject | undefined): boolean {
  return typeof metaOf(params)[metaKeys.protocolVersion] === 'string';
}

const envelopeKeys: ReadonlySet<string> = new Set([
  metaKeys.protocolVersion,
  metaKeys.clientCapabilities,
  metaKeys.clientInfo,
  metaKeys.logLevel,
]);
