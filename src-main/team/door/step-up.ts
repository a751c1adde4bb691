/**
 * A call of a tool that is there, but not for the rights of this token: refused before anything is done, in the way in which a client app
 * is told to ask for more. Source: MCP 2025-11-25 and 2026-07-28, basic/authorization, "Scope Challenge Handling".
 */
import type { IncomingMessage } from 'node:http';
import { objectOf } from '../../core/base/json.ts';
import { calledTool } from '../../core/calls/slow-calls.ts';
import type { LiveCatalog } from '../../core/catalog/live-catalog.ts';
import { onlyReading } from '../../core/profiles/profile-scope.ts';
import type { Asked } from '../../core/sessions/http/asked.ts';
import { idOf, type Refusal } from '../../core/sessions/http/http-io.ts';
import type { SessionCore } from '../../core/sessions/session-settings.ts';
import { catalogAt, type Endpoint } from '../../core/sessions/views/endpoint.ts';
import { isRequest, type RpcRequest } from '../../core/wire/message.ts';
import { type Challenge, lacking } from './let-in.ts';

interface StepUpParts {
  readonly core: () => SessionCore;
  readonly challenge: (request: IncomingMessage) => Challenge;
}

export function refuseWithout({ core, challenge }: StepUpParts) {
  return ({ request, endpoint, place, body }: Asked): Refusal | undefined => {
    const right = place.person?.lacks;
    if (right === undefined || body === undefined) return undefined;
    const call = callsIn(body.inbound).find((one) => isOutOfReach(one, endpoint, core()));
    return call && { ...lacking(right, challenge(request)), id: idOf(call) };
  };
}

function callsIn(inbound: NonNullable<Asked['body']>['inbound']): readonly RpcRequest[] {
  if (inbound.kind !== 'legacy' && inbound.kind !== 'modern') return [];
  const requests = inbound.kind === 'modern' ? [inbound.request] : inbound.messages.filter(isRequest);
  return requests.filter(({ method }) => method === 'tools/call');
}

function isOutOfReach({ params = {} }: RpcRequest, endpoint: Endpoint, core: SessionCore): boolean {
  const own = catalogAt(endpoint, core);
  const bounds = endpoint.bounds?.filter((bound) => bound !== onlyReading) ?? [];
  const wide = catalogAt({ ...endpoint, bounds }, core);
  const named = calledIn(params, core);
  const isThere = ({ finder }: LiveCatalog): boolean => !('missing' in finder.look(named, endpoint.server));
  return named !== '' && !isThere(own) && isThere(wide);
}

/** What is called through a helper tool, as it is named there; a helper that says it only reads calls nothing. */
function calledIn(params: NonNullable<RpcRequest['params']>, { modes }: SessionCore): string {
  const { name } = params;
  if (typeof name !== 'string') return '';
  const helper = modes.helpers.get(name);
  const calls = helper !== undefined && objectOf(helper.definition['annotations'])['readOnlyHint'] !== true;
  return calledTool(params, calls);
}
