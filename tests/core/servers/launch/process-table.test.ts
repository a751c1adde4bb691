/** The table of processes: the formats of ps, and this process in the table of the system. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readProcesses, readProcessSync, readPs } from '../../../../src-main/core/servers/launch/process-table.ts';

const mb = 1024 * 1024;

test('parses the ps table of macOS and Linux', () => {
  const table = [
    '    1     0     1 Ss     12345   12:34.56 Sat Nov 28 09:00:01 2026    ',
    '  501     1   501 S+       100 01:02:03 Sat 28 Nov 09:00:02 2026',
    '  502   501   501 Z          0 2-01:00:00 Fri Nov 27 08:00:00 2026',
    'words that are no process',
  ];
  expect(
    readPs(table.join('\n')).map(({ pid, began, isGone, cpuMs, memoryBytes }) => [
      pid,
      began,
      isGone,
      cpuMs,
      memoryBytes,
    ]),
  ).toEqual([
    [1, 'Sat Nov 28 09:00:01 2026', false, 754_560, 12_641_280],
    [501, 'Sat 28 Nov 09:00:02 2026', false, 3_723_000, 102_400],
    [502, 'Fri Nov 27 08:00:00 2026', true, 176_400_000, 0],
  ]);
});

test.skipIf(process.platform === 'win32')('parses the output of the installed ps', () => {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,rss=,time=,lstart='], { encoding: 'utf8' });
  const own = readPs(text).find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, isGone: false });
  expect(own?.memoryBytes).toBeGreaterThan(20 * mb);
});

test.skipIf(process.platform === 'win32')('finds this process among all, and by its id', async () => {
  const isOwn = { pid: process.pid, parent: process.ppid, isGone: false };
  const all = await readProcesses();
  expect(all.find(({ pid }) => pid === process.pid)).toMatchObject(isOwn);
  const [own, ...others] = await readProcesses([process.pid, 2 ** 22 + 1]);
  expect([own, others]).toEqual([expect.objectContaining(isOwn), []]);
  expect(own?.cpuMs).toBeGreaterThan(0);
  expect(own?.began).not.toBe('');
});

test.skipIf(process.platform !== 'linux')('reads a process without waiting; undefined if there is none', () => {
  expect(readProcessSync(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
  expect(readProcessSync(2 ** 22 + 1)).toBeUndefined();
});
