/** Dashboard and command-line requests about the audit. */
import type { CoreGroups } from '../../core/core-groups.ts';
import type { AuditFilter } from '../../core/trust/audit/audit-entries.ts';
import { type AuditPage, readPage } from '../../core/trust/audit/read-audit-log.ts';
import { describeRecord } from '../../core/trust/audit/describe-record.ts';
import type { Handlers } from '../deps.ts';

const defaultLimit = 100;
/** Maximum wait for pending writes, in ms; later records are not shown yet. */
const maxWaitMs = 3000;
const pollIntervalMs = 50;

export const auditHandlers = {
  // There is only one user.
  auditEntries: async ({ user: _user, ...query }, { activity, trust }) => {
    const { entries, next } = await auditPage(query, { activity, trust });
    return { entries: entries.map((record) => ({ ...record, summary: describeRecord(record) })), ...nextOf(next) };
  },
} satisfies Handlers;

interface AuditRange {
  readonly before?: number;
  readonly limit?: number;
}

/** Includes records still being written. */
export async function auditPage(
  { before, limit = defaultLimit, ...filter }: AuditFilter & AuditRange,
  { activity, trust }: Pick<CoreGroups, 'activity' | 'trust'>,
): Promise<AuditPage> {
  await activity.log.flush();
  await trust.callAuditor.drained();
  // Right after startup the key may not be loaded yet, or another process may be writing.
  for (let waited = 0; !(await trust.audit.flush()) && waited < maxWaitMs; waited += pollIntervalMs)
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  return readPage(trust.audit.log, filter, limit, before);
}

export function nextOf(next: number | undefined): { readonly next?: number } {
  return next === undefined ? {} : { next };
}
