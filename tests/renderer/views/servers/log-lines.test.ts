/** A server's log as the page holds it. */
import { expect, test } from 'vitest';
import type { LogLevel } from '../../../../src-renderer/views/result/log/log-facts.ts';
import type { ServerLogLine } from '../../../../src-main/rpc/contract.ts';
import {
  append,
  countLevels,
  filterEntries,
  foldStacks,
  levelOfLine,
  logText,
  markOf,
  maxLines,
} from '../../../../src-renderer/views/servers/log-lines.ts';

const started: ServerLogLine = { at: 0, from: 'tooltray', level: undefined, text: 'Started, process 7.' };
const said: ServerLogLine = { at: 1_000, from: 'server', level: undefined, text: 'listening on 3000' };
const warned: ServerLogLine = { at: 2_000, from: 'server', level: 'warning', text: 'disk nearly full' };
const failed: ServerLogLine = { at: 3_000, from: 'tooltray', level: 'error', text: 'The connection was lost.' };

test('numbers lines consecutively, and drops the oldest beyond the limit', () => {
  const many = append(
    [],
    Array.from({ length: maxLines }, () => said),
  );
  const more = append(many, [warned, failed]);
  expect([more.length, more[0]?.number, more.at(-1)]).toEqual([maxLines, 3, { ...failed, number: maxLines + 2 }]);
});

test('keeps entries that contain every word, in text, mark, or stack trace, and those of chosen levels', () => {
  const frame = { ...said, text: '    at listen (server.js:3:1)' };
  const entries = foldStacks(append([], [started, said, frame, warned, failed]));
  const numbers = (text: string, ...levels: readonly LogLevel[]): number[] =>
    filterEntries(entries, { text, levels: new Set(levels) }).map(({ line }) => line.number);
  expect([
    numbers('full disk'),
    numbers('tooltray'),
    numbers('server.js'),
    numbers('', 'warn', 'error'),
    numbers('nothing like it'),
  ]).toEqual([[4], [1], [2], [4, 5], []]);
});

test('folds stack traces of Node.js, Python, and Java below their first line, never below a line of Tooltray', () => {
  const texts = [
    'TypeError: x is not a function',
    '    at run (/srv/job.js:3:1)',
    '    at main (/srv/job.js:9:1)',
    'Traceback (most recent call last):',
    '  File "a.py", line 3, in <module>',
    '    main()',
    'ValueError: no value',
    'Exception in thread "main" java.lang.IllegalStateException: closed',
    '\tat App.run(App.java:8)',
    'Caused by: java.io.IOException: gone',
    'listening',
  ];
  const lines = append(
    [],
    [started, ...texts.map((text) => ({ ...said, text })), started, { ...said, text: '  indented' }],
  );
  const entries = foldStacks(lines);
  expect(entries.map(({ line, stack, level }) => [line.number, stack.length, level])).toEqual([
    [1, 0, 'info'],
    [2, 2, 'error'],
    [5, 2, 'error'],
    [8, 0, 'error'],
    [9, 2, 'error'],
    [12, 0, 'info'],
    [13, 0, 'info'],
    [14, 0, 'info'],
  ]);
  expect(countLevels(entries)).toEqual({ error: 4, warn: 0, info: 4, debug: 0 });
});

test('reads the level from the source, else from the text', () => {
  const levels = [
    warned,
    failed,
    { ...said, text: '2026-01-02 WARN slow' },
    { ...said, level: 'critical' as const },
    said,
  ];
  expect(levels.map(levelOfLine)).toEqual(['warn', 'error', 'warn', 'error', 'info']);
});

test('marks a line of Tooltray, unless its level says more', () => {
  expect([started, said, warned, failed].map(markOf)).toEqual(['Tooltray', '', 'warning', 'error']);
});

test('saves the text as in the file', () => {
  expect(logText(foldStacks(append([], [started, warned, { ...said, at: undefined }])))).toBe(
    '1970-01-01T00:00:00.000Z tooltray: Started, process 7.\n' +
      '1970-01-01T00:00:02.000Z server [warning]: disk nearly full\n' +
      'server: listening on 3000\n',
  );
});
