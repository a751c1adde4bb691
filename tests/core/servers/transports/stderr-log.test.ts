/** What is kept of a server's stderr. */
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RotatingFile } from '../../../../src-main/core/base/rotating-file.ts';
import { StderrLog } from '../../../../src-main/core/servers/transports/stderr-log.ts';

const mask = (text: string) => text.replaceAll('hunter2', '***');

test('the last 200 lines are kept, without control sequences and with secrets masked', () => {
  const log = new StderrLog({ mask });
  for (let i = 0; i < 300; i++) log.push(Buffer.from(`\x1b[31mline ${i}\x1b[0m \x07pw=hunter2\n`));
  const lines = log.lines();
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 100 pw=***', 'line 299 pw=***']);
});

test('a character split between two chunks stays whole', () => {
  const log = new StderrLog({ mask });
  const bytes = Buffer.from('größe\n');
  log.push(bytes.subarray(0, 3));
  log.push(bytes.subarray(3));
  expect(log.lines()).toEqual(['größe']);
});

test('100 MB without a line break stay within 64 kB', () => {
  const log = new StderrLog({ mask });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let i = 0; i < 1600; i++) log.push(chunk);
  log.end();
  expect(log.lines().join('').length).toBeLessThanOrEqual(64 * 1024);
});

test('of a progress bar only what is seen last is kept', () => {
  const log = new StderrLog({ mask });
  log.push(Buffer.from('10%\r50%\r100%\r\n'));
  expect(log.lines()).toEqual(['100%']);
});

test('the file holds the masked lines, is readable by the user alone and never outgrows two files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stderr-log-'));
  const path = join(folder, 'logs', 'odd.log');
  const log = new StderrLog({ mask, file: new RotatingFile(path) });
  for (let i = 0; i < 20; i++) {
    log.push(Buffer.from('pw=hunter2 and more\n'.repeat(10_000)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  log.push(Buffer.from('last words'));
  log.close();
  const names = await readdir(join(folder, 'logs'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'logs', name))).size));
  expect(names.sort()).toEqual(['odd.log', 'odd.log.1']);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect([text.includes('hunter2'), text.endsWith('last words\n')]).toEqual([false, true]);
});

test('a log file that cannot be written does no harm', async () => {
  const log = new StderrLog({ mask, file: new RotatingFile('/dev/null/odd.log') });
  log.push(Buffer.from('still here\n'));
  log.close();
  expect(log.lines()).toEqual(['still here']);
});
