/**
 * Windows process tables, and ChildProcessList with a source that returns the whole table. The tables follow Microsoft's documentation;
 * they were not recorded on Windows.
 */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ChildProcessList,
  killOrphanedProcesses,
  readCimTable,
  type ProcessTableSource,
} from '../../../../src-main/core/servers/launch/child-process-list.ts';

const cim = '4 638993100010000000\r\n1204 638994045612345670\r\n7788 638994045620000000\r\n';

describe('Windows process tables', () => {
  test('gives start times in microseconds since 1970', () => {
    const table = readCimTable(cim);
    expect([...table.keys()]).toEqual([4, 1204, 7788]);
    expect(table.get(1204)).toBe(String(Date.UTC(2025, 10, 22, 10, 36, 1) * 1000 + 234_567));
  });

  test.each(['', 'Get-CimInstance : Access denied\r\n'])('rejects output without a process: %j', (text) => {
    expect(() => readCimTable(text)).toThrow('no process');
  });
});

describe('ChildProcessList with a process table', () => {
  let folder: string;
  let running: Map<number, string>;
  let ended: number[];
  let asked: number;
  let mute: boolean;
  const system: ProcessTableSource = {
    table: async () => {
      asked++;
      if (mute) throw new Error('not told');
      return new Map(running);
    },
    end: async (pid) => void ended.push(pid),
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooltray-children-'));
    running = new Map([
      [process.pid, '100'],
      [11, '111'],
      [12, '112'],
      [13, '113'],
    ]);
    [ended, asked, mute] = [[], 0, false];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Leaves the list of a core that no longer runs. */
  async function leftList(): Promise<void> {
    const list = new ChildProcessList(folder, system);
    for (const pid of [11, 12, 13]) list.add(pid);
    await list.flushed();
    list.delete(12);
    const [file = ''] = readdirSync(folder);
    renameSync(join(folder, file), join(folder, 'children-99.list'));
    running.set(process.pid, '200');
  }

  test('looks up processes that start together with at most two queries', async () => {
    const list = new ChildProcessList(folder, system);
    for (const pid of [11, 12, 13]) list.add(pid);
    list.delete(12);
    await list.flushed();
    expect(readFileSync(join(folder, `children-${process.pid}.list`), 'utf8')).toBe(
      `core ${process.pid} 100\nmark ${list.mark}\n+11 111\n+13 113\n`,
    );
    expect(asked).toBeLessThanOrEqual(2);
    list.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('ends orphaned processes, but not a process that reused an id', async () => {
    await leftList();
    running.set(13, '999');
    expect(await killOrphanedProcesses(folder, system)).toBe(1);
    expect([ended, readdirSync(folder)]).toEqual([[11], []]);
  });

  test('leaves the list of a running core alone', async () => {
    const list = new ChildProcessList(folder, system);
    list.add(11);
    await list.flushed();
    expect(await killOrphanedProcesses(folder, system)).toBe(0);
    expect([ended, readdirSync(folder).length]).toEqual([[], 1]);
  });

  test('ends nothing and keeps the list if the process table cannot be read', async () => {
    await leftList();
    mute = true;
    expect(await killOrphanedProcesses(folder, system)).toBe(0);
    const list = new ChildProcessList(folder, system);
    list.add(11);
    await list.flushed();
    list.close();
    expect([ended, readdirSync(folder)]).toEqual([[], ['children-99.list']]);
  });

  test('does not query processes if there is no list', async () => {
    expect([await killOrphanedProcesses(folder, system), asked]).toEqual([0, 0]);
  });
});
