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
  declared: { reason: undefined, sensitivity: undefined },
  tokens: { request: 1, serverResult: 2, modelResult: undefined, estimated: true },
  bytes: { request: 3, serverResult: 4, modelResult: 5 },
} as CallSummary;

test('reads every page once', async () => {
  const ask = async ({ beforeId = Infinity, limit = 0 }: ActivityQuery) => {
    const ids = Array.from({ length: 2300 }, (_, index) => 2300 - index).filter((id) => id < beforeId);
    const calls = ids.slice(0, limit).map((id) => ({ ...call, id }));
    return {
      calls,
      total: 2300,
      failed: 0,
      tokens: { request: 0, modelResult: 0 },
      lastId: 2300,
      more: ids.length > limit,
    };
  };
  const calls = await readAllCalls(ask, {}, () => undefined);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2300);
});

test('escapes spreadsheet formulas and cell delimiters in CSV', () => {
  const declared = { reason: '=HYPERLINK("http://x")', sensitivity: undefined };
  const [, line] = exportText([{ ...call, declared, error: 'a, "b"\nc' }], 'csv').split('\r\n');
  expect(line).toBe(
    `1,1970-01-01T00:00:00.000Z,Cursor,,github,list,,"'=HYPERLINK(""http://x"")",ok,"a, ""b""\nc",3,1,2,,true,3,4,5,`,
  );
});
