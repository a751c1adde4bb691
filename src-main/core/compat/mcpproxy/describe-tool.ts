/** describe_tool: whole definitions of named tools, or a check whether they could be called now. */
import { jsonResult, readSwitch, refused } from './answers.ts';
import { randomUUID } from 'node:crypto';
import type { ServerFacts } from '../../admin/server-facts.ts';
import { type JsonObject, objectOf } from '../../base/json.ts';
import { shortName } from '../../base/shown-text.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { readResultTool } from '../../modes/read-spill.ts';
import { sawSchema } from '../../modes/show-tools.ts';
import { readCache } from './read-cache.ts';
import {
  type BlockReason,
  failedFilters,
  filtersIn,
  findTool,
  heldBy,
  fullEntry,
  type Missing,
  saysNothingOf,
} from './tool-entry.ts';

const mostDescribed = 5;
const mostChecked = 50;

export const describeTool: HelperTool = {
  definition: {
    name: 'describe_tool',
    description: 'Whole schemas of tools by id; check: callable now?',
    inputSchema: {
      type: 'object',
      properties: {
        tool_ids: { type: 'array', items: { type: 'string' }, maxItems: mostChecked },
        check: { type: 'boolean' },
      },
      required: ['tool_ids'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async run(input, context) {
    const check = readSwitch(input['check']);
    const ids = readIds(input['tool_ids'], check ? mostChecked : mostDescribed);
    if (input['expect_hashes'] !== undefined) throw refused('"expect_hashes" is reserved.', 'Leave it away.');
    const filters = objectOf(input['filters']);
    if (check) return jsonResult(checkTools(ids, filtersIn(filters), context));
    if (input['filters'] !== undefined)
      throw refused('"filters" go with "check": true only.', 'Leave one of them away.');
    return jsonResult(await describe(ids, context));
  },
};

/** Servers that are starting are waited for. */
async function describe(ids: readonly string[], context: HelperContext): Promise<JsonObject> {
  await Promise.allSettled(ids.map((id) => context.awaitTool(id.trim())));
  const definitions: JsonObject[] = [];
  const errors: JsonObject[] = [];
  for (const id of ids) {
    const found = findTool(id, context);
    const own = 'missing' in found ? ownReaders.find(({ definition }) => definition.name === id.trim()) : undefined;
    if (own !== undefined) definitions.push(ownEntry(own));
    else if (!('missing' in found)) {
      const held = heldBy(found, context.finder);
      if (held !== undefined) {
        errors.push({ id: shortName(id), error: 'changed', detail: held.message, remediation: held.fix ?? '' });
        continue;
      }
      sawSchema(found, context.memory);
      definitions.push(fullEntry(found));
    } else errors.push(errorOf(id, found));
  }
  return { definitions, errors };
}

/** Tools of ours that a cut answer names: reached by their names, and through the tools that call others. */
const ownReaders: readonly HelperTool[] = [readResultTool, readCache];

function ownEntry({ definition: { name, description, inputSchema, annotations } }: HelperTool): JsonObject {
  return { name, description, inputSchema, annotations, call_with: 'call_tool_read' };
}

/** MCPProxy's words for what it has words for; a server that is only not there now is told by its reason. */
const errors: Partial<Record<BlockReason, string>> = {
  server_disabled: 'disabled',
  tool_blocked_by_user: 'disabled',
  tool_denied_by_config: 'disabled',
  tool_pending_approval: 'pending_approval',
  server_quarantined: 'quarantined',
  server_not_configured: 'not_found',
};

function errorOf(id: string, { missing, nearest, remediation, detail }: Missing): JsonObject {
  const error = errors[missing] ?? missing;
  const guess = nearest === undefined ? {} : { did_you_mean: nearest };
  return { id: shortName(id), error, ...(error !== 'not_found' && { detail }), remediation, ...guess };
}

/** One id may come as a text by itself. */
function readIds(value: unknown, most: number): string[] {
  const list = typeof value === 'string' ? [value] : value;
  const ids = Array.isArray(list) ? list.filter((id): id is string => typeof id === 'string' && id.trim() !== '') : [];
  if (ids.length === 0 || ids.length !== (list as unknown[]).length) {
    throw refused('"tool_ids" is not a list of ids.', 'Give ids like "server:tool".');
  }
  if (ids.length > most) throw refused(`${ids.length} ids are more than ${most}.`, 'Ask in several calls.');
  return [...new Set(ids)];
}

// Whether tools could be called now, from what is known already: no server is asked.

interface Check extends JsonObject {
  readonly id: string;
  readonly status: 'ready' | 'degraded_retryable' | 'blocked' | 'unknown';
}

function checkTools(ids: readonly string[], filters: readonly string[], context: HelperContext): JsonObject {
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
  tool_denied_by_config: { status: 'blocked', retryable: false },
  tool_pending_approval: { status: 'blocked', retryable: false, action: 'approve' },
  tool_changed: { status: 'blocked', retryable: false, action: 'approve' },
};

function missingCheck(id: string, { missing, nearest, remediation, detail }: Missing): Check {
  const mend = mends[missing];
  const guess = nearest === undefined ? {} : { did_you_mean: nearest };
  const known = mend === undefined ? { status: 'unknown' as const, retryable: false } : { ...mend, detail };
  return { id: shortName(id), ...known, reason: missing, remediation, ...guess };
}

function toolCheck(id: string, tool: CatalogEntry, filters: readonly string[], context: HelperContext): Check {
  const { admin, finder } = context;
  const held = heldBy(tool, finder);
  if (held !== undefined) return { id, status: 'blocked', ...troubleBy('tool_changed'), detail: held.message };
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
