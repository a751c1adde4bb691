/** The stderr log of a server. */
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RotatingFile } from '../../../../src-main/core/base/rotating-file.ts';
import { parseLogLine, formatLogLine } from '../../../../src-main/core/servers/transports/server-log-format.ts';
import { ServerLog } from '../../../../src-main/core/servers/transports/server-log.ts';

const mask = (text: string) => text.replaceAll('hunter2', '***');

test('keeps the last 200 lines, without control sequences and with secrets masked', () => {
  const log = new ServerLog({ mask });
  for (let i = 0; i < 300; i++) log.appendStderr(Buffer.from(`\x1b[31mline ${i}\x1b[0m \x07pw=hunter2\n`));
  const lines = log.lines();
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 100 pw=***', 'line 299 pw=***']);
});

test('keeps a character that is split between two chunks', () => {
  const log = new ServerLog({ mask });
  const bytes = Buffer.from('größe\n');
  log.appendStderr(bytes.subarray(0, 3));
  log.appendStderr(bytes.subarray(3));
  expect(log.lines()).toEqual(['größe']);
});

test('keeps at most 64 kB of 100 MB without a line break', () => {
  const log = new ServerLog({ mask });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let i = 0; i < 1600; i++) log.appendStderr(chunk);
  log.end();
  expect(log.lines().join('').length).toBeLessThanOrEqual(64 * 1024);
});

test('keeps only the last state of a progress bar', () => {
  const log = new ServerLog({ mask });
  log.appendStderr(Buffer.from('10%\r50%\r100%\r\n'));
  expect(log.lines()).toEqual(['100%']);
});

test('writes masked lines to at most two files that only the user can read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'server-log-'));
  const path = join(folder, 'logs', 'odd.log');
  const log = new ServerLog({ mask, file: new RotatingFile(path) });
  for (let i = 0; i < 20; i++) {
    log.appendStderr(Buffer.from('pw=hunter2 and more\n'.repeat(10_000)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  log.appendStderr(Buffer.from('last words'));
  log.close();
  const names = await readdir(join(folder, 'logs'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'logs', name))).size));
  expect(names.sort()).toEqual(['odd.log', 'odd.log.1']);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect([text.includes('hunter2'), text.endsWith(' server: last words\n')]).toEqual([false, true]);
});

test('ignores a log file that cannot be written', async () => {
  const log = new ServerLog({ mask, file: new RotatingFile('/dev/null/odd.log') });
  log.appendStderr(Buffer.from('still here\n'));
  log.close();
  expect(log.lines()).toEqual(['still here']);
});

test('writes events between the output, each line with time, source and level', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'server-log-'));
  const path = join(folder, 'odd.log');
  const log = new ServerLog({ mask, file: new RotatingFile(path), now: () => Date.UTC(2026, 10, 23, 10, 24) });
  log.appendEvent('Started, process 7.');
  log.appendStderr(Buffer.from('listening, pw=hunter2\n'));
  log.appendServerMessage('warning', 'disk: nearly full');
  log.appendEvent('Did not hold.\n2026-11-23T10:24:00.000Z tooltray: forged', 'error');
  log.close();
  const text = await readFile(path, 'utf8');
  expect(text.split('\n').slice(0, -1)).toEqual([
    '2026-11-23T10:24:00.000Z tooltray: Started, process 7.',
    '2026-11-23T10:24:00.000Z server: listening, pw=***',
    '2026-11-23T10:24:00.000Z server [warning]: disk: nearly full',
    '2026-11-23T10:24:00.000Z tooltray [error]: Did not hold.',
    '2026-11-23T10:24:00.000Z tooltray [error]: 2026-11-23T10:24:00.000Z tooltray: forged',
  ]);
  // Only stderr counts as its last output.
  expect(log.lines()).toEqual(['listening, pw=***']);
});

test('attributes a server line in the log format to the server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'server-log-'));
  const path = join(folder, 'odd.log');
  const log = new ServerLog({ mask, file: new RotatingFile(path), now: () => 0 });
  log.appendStderr(Buffer.from('1970-01-01T00:00:00.000Z tooltray: Started, process 7.\r\n'));
  log.close();
  expect(parseLogLine((await readFile(path, 'utf8')).trimEnd())).toEqual({
    at: 0,
    from: 'server',
    level: undefined,
    text: '1970-01-01T00:00:00.000Z tooltray: Started, process 7.',
  });
});

test('parses a line as it was written, and a line of an older version as one of the server without a time', () => {
  const line = { at: 12_345, from: 'server', level: 'emergency', text: 'a: [b]: c' } as const;
  expect(parseLogLine(formatLogLine(line).trimEnd())).toEqual(line);
  expect(parseLogLine('Fatal: no time')).toEqual({
    at: undefined,
    from: 'server',
    level: undefined,
    text: 'Fatal: no time',
  });
});

test('returns the lines since a position, as far as they are kept', () => {
  const log = new ServerLog({ mask });
  log.appendStderr(Buffer.from('a\nb\n'));
  const { lineCount } = log;
  expect(log.linesSince(lineCount, 5)).toEqual([]);
  log.appendStderr(Buffer.from('c\nd\n'));
  expect([log.linesSince(lineCount, 5), log.linesSince(lineCount, 1), log.linesSince(0, 3)]).toEqual([
    ['c', 'd'],
    ['d'],
    ['b', 'c', 'd'],
  ]);
  log.appendStderr(Buffer.from('e\n'.repeat(300)));
  expect(log.linesSince(lineCount, 500)).toHaveLength(200);
});
