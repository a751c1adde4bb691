/** Requests about the audit log. */
import { z } from 'zod';
import { auditKinds, type AuditRecord } from '../../core/trust/audit/audit-entries.ts';
import { count, maybe, name, type Methods } from './fields.ts';

/** A record of the audit, and what it says as a sentence. Times in ms since 1970. */
export type AuditRow = AuditRecord & {
  readonly summary: string;
  /** Name of whose call it was, of a team. */
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
    /** Only records with a smaller number: `next` of the page before. */
    before: maybe(count),
    /** 100 without. */
    limit: maybe(count.min(1).max(1000)),
  }),
};

interface AuditOutputs {
  /**
   * Newest first, with the records of a moment ago. No `next`: that was all. A page may be short, or empty, and there is
   * more: filters look at a part of the log at a time.
   */
  auditEntries: { readonly entries: readonly AuditRow[]; readonly next?: number };
}

export type AuditMethods = Methods<typeof auditInputs, AuditOutputs>;
