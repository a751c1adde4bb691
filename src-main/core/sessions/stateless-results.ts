/** Results as 2026-07-28 wants them: their type, who answered, and how long lists may be kept. */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { statefulVersions, metaKeys, statelessVersion } from '../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { scalarOf, RawJson } from '../wire/raw-json.ts';
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

/** Adds the members that the revision requires, if they are missing; existing ones are preserved. */
export function toStatelessResult(method: string, result: Result, serverInfo: JsonObject): Result {
  const ttlMs = cacheable.get(method);
  const members: JsonObject = {
    ...(scalarOf(result, 'resultType') === undefined && { resultType: 'complete' }),
    ...(ttlMs !== undefined && scalarOf(result, 'ttlMs') === undefined && { ttlMs }),
    ...(ttlMs !== undefined && scalarOf(result, 'cacheScope') === undefined && { cacheScope: 'private' }),
  };
  if (result instanceof RawJson) return Object.keys(members).length === 0 ? result : result.withMembers(members);
  const meta = objectOrEmpty(result['_meta']);
  const tools = method === 'tools/list' && { tools: withoutExecution(result['tools']) };
  return { ...members, ...result, ...tools, _meta: { [metaKeys.serverInfo]: serverInfo, ...meta } };
}

/**
 * Tasks are an extension since this revision, and what tools and servers said of them before is gone from its schema.
 */
function withoutExecution(tools: unknown): unknown {
  if (!Array.isArray(tools) || !tools.some((tool) => isObject(tool) && 'execution' in tool)) return tools;
  return tools.map((tool: unknown) => {
    if (!isObject(tool)) return tool;
    const { execution: _execution, ...rest } = tool;
    return rest;
  });
}

/** The answer to `server/discover`. */
export function discoverResult({ serverInfo, capabilities, instructions }: Introduction): JsonObject {
  const { tasks: _tasks, ...others } = capabilities;
  return {
    resultType: 'complete',
    supportedVersions: [statelessVersion, ...statefulVersions],
    capabilities: others,
    ...(instructions !== undefined && { instructions }),
    ttlMs: listTtlMs,
    cacheScope: 'private',
    _meta: { [metaKeys.serverInfo]: serverInfo },
  };
}

// The methods of 2026-07-28, where they matter to a session, and the error for a client app of another revision.

/** Methods of 2026-07-28 whose server may want input in between. */
export const inputCapableMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Gone in 2026-07-28. */
export const statefulOnlyMethods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function unsupportedVersionError(requested: unknown): RpcError {
  return new RpcError(
    rpcCode.unsupportedProtocolVersion,
    `Unsupported protocol version: ${JSON.stringify(requested)}`,
    {
      supported: ['2026-07-28'],
      requested,
    },
  );
}
