/** Dispatches user requests to a running core, from the command line and the dashboard. */
import { rpcCode, RpcError } from '../core/wire/message.ts';
import type { AllHandlers, Handler, Handlers, RpcDeps } from './deps.ts';
import { coreHandlers } from './handlers/core.ts';
import { activityHandlers } from './handlers/activity.ts';
import { appHandlers } from './handlers/apps.ts';
import { appViewHandlers } from './handlers/app-views.ts';
import { chartHandlers } from './handlers/charts.ts';
import { auditHandlers } from './handlers/audit.ts';
import { findHandlers } from './handlers/find.ts';
import { dataFlowHandlers } from './handlers/data-flow.ts';
import { healHandlers, serverHandlers } from './handlers/server-tools.ts';
import { inboxHandlers } from './handlers/inbox.ts';
import { profileHandlers } from './handlers/profiles.ts';
import { registryHandlers } from './handlers/registry.ts';
import { savingsHandlers, settingsHandlers } from './handlers/settings.ts';
import { secretHandlers } from './handlers/secrets.ts';
import { runHandlers } from './handlers/runs.ts';
import { scanHandlers } from './handlers/scan.ts';
import { spillHandlers } from './handlers/spills.ts';
import { teamHandlers } from './handlers/team.ts';
import { timelineHandlers } from './handlers/timeline.ts';
import { isRpcMethod, readRpcInput } from './inputs.ts';
import type { RpcMethod } from './contract.ts';

const handlers: AllHandlers = {
  ...coreHandlers,
  ...activityHandlers,
  ...appHandlers,
  ...appViewHandlers,
  ...auditHandlers,
  ...chartHandlers,
  ...findHandlers,
  ...dataFlowHandlers,
  ...healHandlers,
  ...inboxHandlers,
  ...profileHandlers,
  ...registryHandlers,
  ...runHandlers,
  ...savingsHandlers,
  ...scanHandlers,
  ...secretHandlers,
  ...serverHandlers,
  ...settingsHandlers,
  ...spillHandlers,
  ...teamHandlers,
  ...timelineHandlers,
};

/**
 * `own`: handlers that override the default ones. Rejects with RpcError -32601 for an unknown method,
 * AppError `bad_request` for invalid input, otherwise as the handler does.
 */
export async function dispatchRpc(
  method: string,
  input: unknown,
  deps: RpcDeps,
  signal: AbortSignal,
  own: Handlers = {},
): Promise<Record<string, unknown>> {
  if (!isRpcMethod(method)) throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
  const handler = (own[method] ?? handlers[method]) as Handler<RpcMethod>;
  return { ...(await handler(readRpcInput(method, input), deps, signal)) };
}
