/** An app's access, in a few words. */
import type { AccessRow } from '../rpc/contract.ts';
import { paint } from './print.ts';

/** `http since 2026-11-20 09:15`, `revoked …`, `none`. */
export function accessText(row: AccessRow | undefined): string {
  if (row?.revoked !== undefined) return paint('bad', `revoked ${moment(row.revoked)}`);
  if (row === undefined || row.via === 'none') return paint('quiet', 'none');
  return row.since === undefined ? row.via : `${row.via} since ${moment(row.since)}`;
}

export function seenText(row: AccessRow | undefined): string {
  return row?.seen === undefined ? paint('quiet', 'never') : moment(row.seen);
}

/** In the time of this machine, as it sorts. */
function moment(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}
