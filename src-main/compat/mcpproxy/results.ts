/** Builds results, and parses options, of MCPProxy's tools. */
import { AppError } from '../../core/base/errors.ts';
import type { ChangeOutcome } from '../../core/admin/server-admin.ts';
import { type JsonObject, toPlainNumber } from '../../core/base/json.ts';

export function jsonResult(value: unknown): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** The same, marked as an error. */
export function jsonError(value: unknown): JsonObject {
  return { ...jsonResult(value), isError: true };
}

export function badRequestError(what: string, fix: string): AppError {
  return new AppError('bad_request', what, { fix });
}

// Parses options; numbers may also be strings.

/** Clamped to 1…`max`; `defaultValue` if not a positive number. */
export function readClampedInteger(value: unknown, defaultValue: number, max: number): number {
  const wanted = typeof value === 'string' ? Number.parseFloat(value) : toPlainNumber(value);
  if (typeof wanted !== 'number' || !Number.isFinite(wanted) || wanted < 1) return defaultValue;
  return Math.min(Math.trunc(wanted), max);
}

/** Trimmed; undefined for other types or an empty string. */
export function readTrimmedText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

// Describes a change that awaits the user's approval.

/** Returns an empty object for a change that was applied. */
export function proposedChangeInfo(outcome: ChangeOutcome): JsonObject {
  if (outcome.kind === 'applied') return {};
  const { id, sentence } = outcome.proposal;
  const message = `Nothing has changed yet: the user must approve it (tooltray inbox approve ${id}). ${sentence}`;
  return { status: 'pending_approval', proposal_id: id, message };
}
