/**
 * The ledger's two tables: by the hour and the session for the last days, by the day for the last years. Both hold sums, so that
 * their size grows with what was used and not with how often.
 */
import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../base/private-database.ts';
import type { Amounts, Cause } from './entry.ts';

/** What was entered under one hour, session, app, mode, server, tool and cause. */
export interface LedgerRow extends Amounts {
  /** The hour's beginning, in ms since the epoch. */
  readonly hour: number;
  readonly session: string;
  readonly app: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly cause: Cause;
}

export interface LedgerBounds {
  readonly hourRows: number;
  readonly dayRows: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How far back the table by the hour goes. */
export const recentMs = 8 * dayMs;
const longMs = 2 * 366 * dayMs;

const amounts = ['times', 'sent', 'loaded', 'baseline', 'raw', 'estimated'] as const;
const hourKeys = ['hour', 'session', 'app', 'mode', 'server', 'tool', 'cause'] as const;
const dayKeys = ['day', 'app', 'mode', 'server', 'tool', 'cause'] as const;

export function addRows(database: DatabaseSync, rows: readonly LedgerRow[]): void {
  if (rows.length === 0) return;
  transaction(database, () => {
    const hours = database.prepare(upsert('ledgerHours', hourKeys));
    const days = database.prepare(upsert('ledgerDays', dayKeys));
    for (const row of rows) {
      const figures = amounts.map((name) => row[name]);
      const names = [row.app, row.mode, row.server, row.tool, row.cause];
      hours.run(row.hour, row.session, ...names, ...figures);
      days.run(dayOf(row.hour), ...names, ...figures);
    }
  });
}

/** Deletes what is too old, and the oldest of what is too much. */
export function trimLedger(database: DatabaseSync, { hourRows, dayRows }: LedgerBounds, now: number): void {
  transaction(database, () => {
    database.prepare('DELETE FROM ledgerHours WHERE hour < ?').run(now - recentMs);
    database.prepare('DELETE FROM ledgerDays WHERE day < ?').run(dayOf(now - longMs));
    trimTo(database, 'ledgerHours', 'hour', hourRows);
    trimTo(database, 'ledgerDays', 'day', dayRows);
  });
}

function trimTo(database: DatabaseSync, table: string, key: string, most: number): void {
  const surplus = `SELECT ${key} FROM ${table} ORDER BY ${key} DESC LIMIT 1 OFFSET ?`;
  database.prepare(`DELETE FROM ${table} WHERE ${key} <= (${surplus})`).run(most);
}

/** The day where this machine is, `2026-11-21`. */
export function dayOf(time: number): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function hourOf(time: number): number {
  return Math.floor(time / hourMs) * hourMs;
}

function upsert(table: string, keys: readonly string[]): string {
  const names = [...keys, ...amounts];
  const sums = amounts.map((name) => `${name} = ${name} + excluded.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${sums.join(', ')}`;
}
