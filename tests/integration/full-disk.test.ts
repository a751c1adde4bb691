/** A full disk: calls continue, and every store reports since when and why it cannot be written. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AttentionItem, StoreProblem } from '../../src-main/rpc/contract.ts';
import { hasSmallDisk, runOnSmallDisk } from '../support/small-disk.ts';

interface Printed {
  readonly full: readonly StoreProblem[];
  readonly attention: readonly AttentionItem[];
  readonly answer: string;
}

test.skipIf(!hasSmallDisk)('publishes which stores cannot be written while the disk is full', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-full-'));
  try {
    const printed = await runOnSmallDisk(join(import.meta.dirname, 'full-disk-core.ts'), home, 24);
    const { full, attention, answer } = JSON.parse(printed) as Printed;
    expect(full.map(({ store }) => store)).toEqual(expect.arrayContaining(['activity', 'audit']));
    for (const { since, summary } of full) {
      expect(since).toBeGreaterThan(Date.now() - 120_000);
      expect(summary).toContain('the disk is full');
    }
    expect(attention.map(({ id }) => id)).toEqual(expect.arrayContaining(full.map(({ store }) => `store-${store}`)));
    expect(answer).toBe('still answers');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test.skipIf(!hasSmallDisk)(
  'starts on a full disk, answers calls, and says which stores cannot be written',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'tooltray-full-'));
    try {
      const printed = await runOnSmallDisk(join(import.meta.dirname, 'full-disk-start-core.ts'), home, 24);
      const { full, answer } = JSON.parse(printed) as Pick<Printed, 'full' | 'answer'>;
      expect(answer).toBe('answers');
      expect(full.map(({ store }) => store)).toEqual(expect.arrayContaining(['spills', 'audit']));
      for (const { summary } of full) expect(summary).toContain('the disk is full');
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
);
