/** Calls saved as a file. */
import { expect, test } from 'vitest';
import type { ActivityQuery, CallSummary } from '../../../../src-main/rpc/contract.ts';
import { exportText, readAllCalls } from '../../../../src-renderer/views/activity/export-calls.ts';

const call = {
  id: 1,
  at: 0,
  app: 'Cursor',
  appName: 'Cursor',
  server: 'github',
  tool: 'list',
  outcome: 'ok',
  durationMs: 3,
} as CallSummary;

test('reads every page once', async () => {
  const ask = async ({ beforeId = Infinity, limit = 0 }: ActivityQuery) => {
    const ids = Array.from({ length: 2300 }, (_, index) => 2300 - index).filter((id) => id < beforeId);
    const calls = ids.slice(0, limit).map((id) => ({ ...call, id }));
    return { calls, total: 2300, failed: 0, tokensIn: 0, tokensOut: 0, lastId: 2300, more: ids.length > limit };
  };
  const calls = await readAllCalls(ask, {}, () => undefined);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2300);
});

test('escapes spreadsheet formulas and cell delimiters in CSV', () => {
  const reason = '=HYPERLINK("http://x")';
  const [, line] = exportText([{ ...call, reason, error: 'a, "b"\nc' }], 'csv').split('\r\n');
  expect(line).toBe(
    `1,1970-01-01T00:00:00.000Z,Cursor,,github,list,,"'=HYPERLINK(""http://x"")",ok,"a, ""b""\nc",3,,,,,,,,`,
  );
});
