/** Requests about the audit log. */
import { z } from 'zod';
import { auditKinds, type AuditRecord } from '../../core/trust/audit/audit-entries.ts';
import { count, maybe, name, type Methods } from './fields.ts';

/** An audit record with a sentence that describes it. Times in ms since 1970. */
export type AuditRow = AuditRecord & {
  readonly summary: string;
  /** Name of the calling user, in a team. */
  readonly userName?: string;
};

/** Schemas of the inputs. */
export const auditInputs = {
  auditEntries: z.object({
    kinds: maybe(z.array(z.enum(auditKinds)).max(20)),
    server: maybe(name),
    app: maybe(name),
    /** Only calls of this user of a team, by name. */
    user: maybe(name),
    since: maybe(count),
    /** Only records with a lower number: `next` of the previous page. */
    before: maybe(count),
    /** Default: 100. */
    limit: maybe(count.min(1).max(1000)),
  }),
};

interface AuditOutputs {
  /**
   * Newest first, including records still being written. A missing `next` marks the last page. Because each request
   * filters only part of the log, a page may be short or empty although more follow.
   */
  auditEntries: { readonly entries: readonly AuditRow[]; readonly next?: number };
}

export type AuditMethods = Methods<typeof auditInputs, AuditOutputs>;
