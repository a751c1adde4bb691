/** Dashboard and command-line requests about the audit. */
import type { AuditFilter } from '../../core/trust/audit/audit-entries.ts';
import { type AuditPage, readPage } from '../../core/trust/audit/read-audit-log.ts';
import { describeRecord } from '../../core/trust/audit/describe-record.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

const defaultLimit = 100;
/** Maximum wait for pending writes, in ms; later records are not shown yet. */
const maxWaitMs = 3000;
const pollIntervalMs = 50;

export const auditHandlers = {
  // There is one person.
  auditEntries: async ({ person: _person, ...asked }, { core }) => {
    const { entries, next } = await auditPage(asked, core);
    return { entries: entries.map((record) => ({ ...record, told: describeRecord(record) })), ...nextOf(next) };
  },
} satisfies Handlers;

interface AuditRange {
  readonly before?: number;
  readonly limit?: number;
}

/** With what was noted a moment ago. */
export async function auditPage(
  { before, limit = defaultLimit, ...filter }: AuditFilter & AuditRange,
  core: Pick<RpcDeps['core'], 'activity' | 'trust'>,
): Promise<AuditPage> {
  await core.activity.log.flush();
  await core.trust.callAuditor.drained();
  // Right after the start its key may still be asked for, and another process may be writing.
  for (let waited = 0; !(await core.trust.audit.flush()) && waited < maxWaitMs; waited += pollIntervalMs)
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  return readPage(core.trust.audit.log, filter, limit, before);
}

export function nextOf(next: number | undefined): { readonly next?: number } {
  return next === undefined ? {} : { next };
}
