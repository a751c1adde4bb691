/** Tests of importable servers in the background: stages, order, and when a setup waits. */
import { expect, test } from 'vitest';
import { OfferTests } from '../../../src-main/core/admin/offer-tests.ts';
import type { EntryProbe } from '../../../src-main/core/admin/probe-entry.ts';
import type { ProbeStage } from '../../../src-main/core/servers/probe-connection.ts';

const passed: EntryProbe = { ok: true, sentence: '', tools: ['a', 'b'], listTokens: 12, tookMs: 1, stderr: [] };

interface Started {
  readonly command: string;
  readonly slot: number;
  readonly report: (stage: ProbeStage) => void;
  readonly end: (probe: EntryProbe) => void;
}

/** Importable servers named after their commands; each probe ends when the test says so. */
function withProbes() {
  const started: Started[] = [];
  const tests = new OfferTests({
    entryOf: (id) => Promise.resolve({ command: id }),
    probe: ({ command }, slot, report) => {
      const { promise, resolve } = Promise.withResolvers<EntryProbe>();
      started.push({ command: String(command), slot, report, end: resolve });
      return promise;
    },
  });
  return { tests, started };
}

test('starts servers that have to be downloaded first, three at a time, each in a slot of its own', async () => {
  const { tests, started } = withProbes();
  await tests.start(['node', '/usr/bin/python', 'npx', 'uvx', 'docker']);
  await expect.poll(() => started.map(({ command }) => command)).toEqual(['npx', 'uvx', 'docker']);
  started[1]?.end(passed);
  await expect.poll(() => started.map(({ command }) => command)).toEqual(['npx', 'uvx', 'docker', 'node']);
  expect(started.map(({ slot }) => slot)).toEqual([1, 2, 3, 2]);
  expect(tests.all.map(({ id, stage }) => [id, stage])).toContainEqual(['uvx', 'passed']);
});

test('reports each stage once, and the failure with its reason', async () => {
  const { tests, started } = withProbes();
  const stages: string[] = [];
  tests.changed.on(() => stages.push(tests.all[0]?.stage ?? ''));
  await tests.start(['npx']);
  await expect.poll(() => started).toHaveLength(1);
  for (const stage of ['starting', 'downloading', 'downloading', 'listing'] as const) started[0]?.report(stage);
  started[0]?.end({ ...passed, ok: false, failure: { reason: 'needs API_KEY', fix: 'Set it.' } });
  await expect.poll(() => tests.all[0]).toMatchObject({ stage: 'failed', reason: 'needs API_KEY', fix: 'Set it.' });
  expect(stages).toEqual(['queued', 'starting', 'downloading', 'listing', 'failed']);
});

test('does not start a test twice that is still open, and starts a failed one again', async () => {
  const { tests, started } = withProbes();
  await tests.start(['npx']);
  await tests.start(['npx', 'npx']);
  await expect.poll(() => started).toHaveLength(1);
  started[0]?.end({ ...passed, ok: false, failure: { reason: 'x', fix: '' } });
  await expect.poll(() => tests.all[0]?.stage).toBe('failed');
  await tests.start(['npx']);
  await expect.poll(() => started).toHaveLength(2);
});

test('settles by dropping what is queued and waiting for downloads alone', async () => {
  const { tests, started } = withProbes();
  await tests.start(['npx', 'a', 'b', 'c']);
  await expect.poll(() => started).toHaveLength(3);
  started[0]?.report('downloading');
  let isSettled = false;
  const settling = tests.settle().then(() => (isSettled = true));
  expect([tests.all.map(({ id }) => id), isSettled]).toEqual([['npx', 'a', 'b'], false]);
  started[0]?.report('listing');
  await settling;
  expect(isSettled).toBe(true);
});
