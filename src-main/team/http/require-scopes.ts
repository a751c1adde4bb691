/**
 * Rejects calls of existing tools for which the token lacks scopes, before anything runs, with a response that tells
 * the client app to request more. Source: MCP 2025-11-25 and 2026-07-28, basic/authorization, "Scope Challenge
 * Handling".
 */
import type { IncomingMessage } from 'node:http';
import {
  calledTool,
  catalogAt,
  type Endpoint,
  type HttpRefusal,
  idOf,
  type InboundRequest,
  isRequest,
  type LiveCatalog,
  readOnlyProfile,
  type RpcRequest,
  type SessionServices,
} from '../../core/edition.ts';
import { objectOrEmpty } from '../../core/base/json.ts';
import { type Challenge, insufficientScope } from './authenticate-request.ts';

interface ScopeCheckDeps {
  readonly core: () => SessionServices;
  readonly challenge: (request: IncomingMessage) => Challenge;
}

export function createScopeCheck({ core, challenge }: ScopeCheckDeps) {
  return ({ request, endpoint, place, body }: InboundRequest): HttpRefusal | undefined => {
    const right = place.person?.lacks;
    if (right === undefined || body === undefined) return undefined;
    const call = toolCallsIn(body.inbound).find((one) => lacksScope(one, endpoint, core()));
    return call && { ...insufficientScope(right, challenge(request)), id: idOf(call) };
  };
}

function toolCallsIn(inbound: NonNullable<InboundRequest['body']>['inbound']): readonly RpcRequest[] {
  if (inbound.kind !== 'legacy' && inbound.kind !== 'modern') return [];
  const requests = inbound.kind === 'modern' ? [inbound.request] : inbound.messages.filter(isRequest);
  return requests.filter(({ method }) => method === 'tools/call');
}

function lacksScope({ params = {} }: RpcRequest, endpoint: Endpoint, core: SessionServices): boolean {
  const own = catalogAt(endpoint, core);
  const bounds = endpoint.bounds?.filter((bound) => bound !== readOnlyProfile) ?? [];
  const wide = catalogAt({ ...endpoint, bounds }, core);
  const named = calledToolName(params, core);
  const isThere = ({ finder }: LiveCatalog): boolean => !('missing' in finder.tryFind(named, endpoint.server));
  return named !== '' && !isThere(own) && isThere(wide);
}

/** Name of the tool called through a helper tool, as given; a helper marked read-only calls nothing. */
function calledToolName(params: NonNullable<RpcRequest['params']>, { modes }: SessionServices): string {
  const { name } = params;
  if (typeof name !== 'string') return '';
  const helper = modes.helpers.get(name);
  const calls = helper !== undefined && objectOrEmpty(helper.definition['annotations'])['readOnlyHint'] !== true;
  return calledTool(params, calls);
}
