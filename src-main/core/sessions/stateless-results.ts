/** Completes results for 2026-07-28: their type, the server, and how long lists may be cached. */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { statefulVersions, metaKeys, statelessVersion } from '../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { scalarOf, RawJson } from '../wire/raw-json.ts';
import type { Introduction } from './session-view.ts';

/** Lists change by notification; this is how long a client without a subscription may use them, in ms. */
const listTtlMs = 60_000;

const cacheable: ReadonlyMap<string, number> = new Map([
  ['tools/list', listTtlMs],
  ['resources/list', listTtlMs],
  ['resources/templates/list', listTtlMs],
  ['prompts/list', listTtlMs],
  ['skills/list', listTtlMs],
  ['skills/get', 0],
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

/** Tasks are an extension in this revision, so the earlier members of tools are removed. */
function withoutExecution(tools: unknown): unknown {
  if (!Array.isArray(tools) || !tools.some((tool) => isObject(tool) && 'execution' in tool)) return tools;
  return tools.map((tool: unknown) => {
    if (!isObject(tool)) return tool;
    const { execution: _execution, ...rest } = tool;
    return rest;
  });
}

/** The result of `server/discover`. */
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

// Methods of 2026-07-28 that a session treats differently, and the error for a client app of another revision.

/** Methods of 2026-07-28 whose server may request input. */
export const inputCapableMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Methods that 2026-07-28 removed. */
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
