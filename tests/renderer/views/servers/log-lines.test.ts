/** A server's log as the page holds it. */
import { expect, test } from 'vitest';
import type { ServerLogLine } from '../../../../src-main/rpc/contract.ts';
import { append, filterLines, logText, markOf, maxLines } from '../../../../src-renderer/views/servers/log-lines.ts';

const started: ServerLogLine = { at: 0, from: 'tooltray', level: undefined, text: 'Started, process 7.' };
const said: ServerLogLine = { at: 1_000, from: 'server', level: undefined, text: 'listening on 3000' };
const warned: ServerLogLine = { at: 2_000, from: 'server', level: 'warning', text: 'disk nearly full' };
const failed: ServerLogLine = { at: 3_000, from: 'tooltray', level: 'error', text: 'The connection is gone.' };

test('numbers lines consecutively, and drops the oldest beyond the limit', () => {
  const many = append(
    [],
    Array.from({ length: maxLines }, () => said),
  );
  const more = append(many, [warned, failed]);
  expect([more.length, more[0]?.number, more.at(-1)]).toEqual([maxLines, 3, { ...failed, number: maxLines + 2 }]);
});

test('keeps lines that contain every word, in text or mark, and only problems on request', () => {
  const lines = append([], [started, said, warned, failed]);
  const numbers = (text: string, problems = false): number[] =>
    filterLines(lines, { text, problems }).map(({ number }) => number);
  expect([numbers('full disk'), numbers('tooltray'), numbers('', true), numbers('nothing like it')]).toEqual([
    [3],
    [1],
    [3, 4],
    [],
  ]);
});

test('marks a line of Tooltray, unless its level says more', () => {
  expect([started, said, warned, failed].map(markOf)).toEqual(['Tooltray', '', 'warning', 'error']);
});

test('saves the text as in the file', () => {
  expect(logText([started, warned, { ...said, at: undefined }])).toBe(
    '1970-01-01T00:00:00.000Z tooltray: Started, process 7.\n' +
      '1970-01-01T00:00:02.000Z server [warning]: disk nearly full\n' +
      'server: listening on 3000\n',
  );
});
