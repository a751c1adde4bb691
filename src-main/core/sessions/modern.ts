/** Results as 2026-07-28 wants them: their type, who answered, and how long lists may be kept. */
import { type JsonObject, objectOf } from '../base/json.ts';
import { legacyVersions, metaKey, modernVersion } from '../wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { fact, RawJson } from '../wire/raw-json.ts';
import type { Introduction } from './session-view.ts';

/** Lists change by notification; the time is only how long a client without one may believe them. */
const listTtlMs = 60_000;

const cacheable: ReadonlyMap<string, number> = new Map([
  ['tools/list', listTtlMs],
  ['resources/list', listTtlMs],
  ['resources/templates/list', listTtlMs],
  ['prompts/list', listTtlMs],
  ['resources/read', 0],
]);

/** What was there stays; what the revision requires is added where it is missing. */
export function modernResult(method: string, result: Result, serverInfo: JsonObject): Result {
  const ttlMs = cacheable.get(method);
  const members: JsonObject = {
    ...(fact(result, 'resultType') === undefined && { resultType: 'complete' }),
    ...(ttlMs !== undefined && fact(result, 'ttlMs') === undefined && { ttlMs }),
    ...(ttlMs !== undefined && fact(result, 'cacheScope') === undefined && { cacheScope: 'private' }),
  };
  if (result instanceof RawJson) return Object.keys(members).length === 0 ? result : result.withMembers(members);
  const meta = objectOf(result['_meta']);
  return { ...members, ...result, _meta: { [metaKey.serverInfo]: serverInfo, ...meta } };
}

/** The answer to `server/discover`. */
export function discovery({ serverInfo, capabilities, instructions }: Introduction): JsonObject {
  return {
    resultType: 'complete',
    supportedVersions: [modernVersion, ...legacyVersions],
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ttlMs: listTtlMs,
    cacheScope: 'private',
    _meta: { [metaKey.serverInfo]: serverInfo },
  };
}

// Which methods 2026-07-28 has, where that matters to a session, and what a client app of yet another revision is told.

/** Methods of 2026-07-28 whose server may want input in between. */
export const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Gone in 2026-07-28. */
export const legacyOnly: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function unsupportedVersion(requested: unknown): RpcError {
  return new RpcError(
    rpcCode.unsupportedProtocolVersion,
    `Unsupported protocol version: ${JSON.stringify(requested)}`,
    {
      supported: ['2026-07-28'],
      requested,
    },
  );
}
