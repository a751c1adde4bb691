/** What the dashboard and the command line ask of the audit. */
import { readPage } from '../../core/trust/audit/read.ts';
import { tellRecord } from '../../core/trust/audit/tell.ts';
import type { Handlers } from '../deps.ts';

const usualLimit = 100;

export const auditHandlers = {
  auditEntries: async ({ before, limit = usualLimit, ...filter }, { core }) => {
    core.activity.flush();
    await core.callNotes.settled();
    await core.audit.flush();
    const { entries, next } = await readPage(core.audit.log, filter, limit, before);
    const rows = entries.map((record) => ({ ...record, told: tellRecord(record) }));
    return { entries: rows, ...(next !== undefined && { next }) };
  },
} satisfies Handlers;
