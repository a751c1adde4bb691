/** Whether tools could be called now, from what is known already: no server is asked. */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { shortName } from '../../base/short-name.ts';
import type { ServerFacts } from '../../admin/server-facts.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HelperContext } from '../mode.ts';
import { failedFilters, saysNothingOf } from './annotations.ts';
import { type BlockReason, findTool, type Missing } from './find-tool.ts';

interface Check extends JsonObject {
  readonly id: string;
  readonly status: 'ready' | 'degraded_retryable' | 'blocked' | 'unknown';
}

export function checkTools(ids: readonly string[], filters: readonly string[], context: HelperContext): JsonObject {
  const results = ids.map((id): Check => {
    const found = findTool(id, context);
    return 'missing' in found ? missingCheck(id, found) : toolCheck(id, found, filters, context);
  });
  return { verdict: worst(results), checked_at: new Date().toISOString(), request_id: randomUUID(), results };
}

/** What may be mended by waiting, or by whom; anything else is not known at all. */
const mends: Partial<Record<BlockReason, Pick<Check, 'status'> & JsonObject>> = {
  server_initializing: { status: 'degraded_retryable', retryable: true },
  server_unhealthy: { status: 'degraded_retryable', retryable: true, action: 'restart' },
  oauth_required: { status: 'blocked', retryable: false, action: 'login' },
  server_disabled: { status: 'blocked', retryable: false, action: 'enable' },
  server_quarantined: { status: 'blocked', retryable: false, action: 'approve' },
  tool_blocked_by_user: { status: 'blocked', retryable: false },
};

function missingCheck(id: string, { missing, nearest, remediation, detail }: Missing): Check {
  const mend = mends[missing];
  const guess = nearest === undefined ? {} : { did_you_mean: nearest };
  const known = mend === undefined ? { status: 'unknown' as const, retryable: false } : { ...mend, detail };
  return { id: shortName(id), ...known, reason: missing, remediation, ...guess };
}

/** Quarantine and changed tools have their place here, before the state of the server. */
function toolCheck(id: string, tool: CatalogEntry, filters: readonly string[], { admin }: HelperContext): Check {
  const failed = failedFilters(tool, filters);
  if (failed.length > 0) return filteredCheck(id, tool, failed);
  const server = admin.list().find((one) => one.name === tool.server);
  const trouble = server === undefined ? undefined : troubleOf(server);
  return trouble === undefined ? { id, status: 'ready' } : { id, ...trouble, detail: server?.health.detail };
}

function filteredCheck(id: string, tool: CatalogEntry, failed: readonly string[]): Check {
  const reason = failed.every((name) => saysNothingOf(tool, name)) ? 'missing_annotation' : 'policy_filtered';
  return { id, status: 'blocked', reason, retryable: false, detail: failed.join(', ') };
}

function troubleOf({ state }: ServerFacts): (Pick<Check, 'status'> & JsonObject) | undefined {
  switch (state) {
    // One that sleeps wakes for the call.
    case 'ready':
    case 'disconnected':
      return undefined;
    case 'connecting':
    case 'discovering':
      return troubleBy('server_initializing');
    case 'error':
      return troubleBy('server_unhealthy');
    case 'pending-sign-in':
    case 'authenticating':
      return troubleBy('oauth_required');
    case 'disabled':
      return troubleBy('server_disabled');
  }
}

function troubleBy(reason: keyof typeof mends): (Pick<Check, 'status'> & JsonObject) | undefined {
  const mend = mends[reason];
  return mend && { ...mend, reason };
}

function worst(results: readonly Check[]): string {
  const statuses = new Set(results.map(({ status }) => status));
  if (statuses.has('unknown')) return 'unknown_ids';
  if (statuses.has('blocked')) return 'blocked';
  return statuses.has('degraded_retryable') ? 'degraded_retryable' : 'ready';
}
