/** Requests about the audit log. */
import type { AuditFilter, AuditRecord } from '../../core/trust/audit/audit-entries.ts';

/** A record of the audit, and what it says as a sentence. Times in ms since 1970. */
export type AuditRow = AuditRecord & {
  readonly told: string;
  /** Name of whose call it was, of a team. */
  readonly person?: string;
};

export interface AuditContract {
  /** The newest first. What was noted a moment ago is among them. */
  auditEntries: {
    input: Omit<AuditFilter, 'user'> & {
      /** Only calls of this one of a team, made and refused, by their name. */
      readonly person?: string;
      /** Only records with a smaller number: `next` of the page before. */
      readonly before?: number;
      /** At most 1 000; 100 without. */
      readonly limit?: number;
    };
    /**
     * No `next`: that was all. A page may be short, or empty, and there is more: filters look at a part of the log at a
     * time.
     */
    output: { readonly entries: readonly AuditRow[]; readonly next?: number };
  };
}
