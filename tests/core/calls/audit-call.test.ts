/** Audit records of calls wait for the labels of their results, with limits on time and number. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallAuditor } from '../../../src-main/core/calls/audit-call.ts';
import type { FinishedCall } from '../../../src-main/core/calls/call-tool.ts';
import { localUser } from '../../../src-main/core/security/principal.ts';
import type { AuditEntry } from '../../../src-main/core/trust/audit/audit-entries.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const noted: AuditEntry[] = [];
  const audit = { note: (entry: AuditEntry) => noted.push(entry), digest: () => ({ bytes: 1, hmac: 'x' }) };
  const notes = new CallAuditor({ ...audit, flush: () => true });
  const call = {
    request: { tool: 'look' },
    outcome: 'ok',
    result: { content: [] },
    caller: { app: 'a', sessionId: 's', mode: 'proxy', principal: localUser },
  } as unknown as FinishedCall;
  const add = (labels?: Promise<readonly string[]>): void =>
    void notes.record(call, 1, { arguments: '{}', result: '{}', labels });
  const labels = (): unknown[] => noted.map((entry) => ('labels' in entry ? entry.labels : 'none'));
  return { notes, add, labels };
}

test('adds labels that arrive in time, and "not-scanned" otherwise', async () => {
  const { notes, add, labels } = start();
  const slow = Promise.withResolvers<readonly string[]>();
  add(slow.promise);
  add(Promise.resolve(['override']));
  add(Promise.resolve([]));
  add();
  await vi.advanceTimersByTimeAsync(4999);
  expect(labels()).toEqual(['none', ['override'], 'none']);
  await vi.advanceTimersByTimeAsync(1);
  expect(labels()).toEqual(['none', ['override'], 'none', ['not-scanned']]);
  slow.resolve(['too-late']);
  await notes.drained();
  expect(labels()).toHaveLength(4);
});

test('records calls without waiting when too many wait, and drained() waits for all', async () => {
  const { notes, add, labels } = start();
  const slow = Promise.withResolvers<readonly string[]>();
  for (let at = 0; at < 503; at++) add(slow.promise);
  expect(labels()).toEqual([['not-scanned'], ['not-scanned'], ['not-scanned']]);
  const settled = notes.drained().then(() => labels().length);
  slow.resolve(['override']);
  expect(await settled).toBe(503);
});

test('waits for each call on its own, with one timer, and drained() includes timeouts', async () => {
  const { notes, add, labels } = start();
  const never = new Promise<readonly string[]>(() => undefined);
  add(never);
  await vi.advanceTimersByTimeAsync(3000);
  add(never);
  expect(vi.getTimerCount()).toBe(1);
  const settled = notes.drained().then(() => labels().length);
  await vi.advanceTimersByTimeAsync(2000);
  expect(labels()).toEqual([['not-scanned']]);
  await vi.advanceTimersByTimeAsync(2999);
  expect(labels()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await settled).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});
