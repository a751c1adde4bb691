/** A map for what comes and goes with every call: what it gives, and that it holds nothing of what has left. */
import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import { expect, test } from 'vitest';
import { InFlight } from '../../../src-main/core/base/in-flight.ts';

test('things are found by their id until they are taken or deleted, the first first', () => {
  const open = new InFlight<string | number, { readonly name: string }>();
  const [one, two, three] = [{ name: 'one' }, { name: 'two' }, { name: 'three' }];
  open.set(1, one);
  open.set('1', two);
  open.set(3, one);
  open.set(3, three);
  expect([open.size, open.get(1), open.get('1'), open.has(3), open.has(2)]).toEqual([3, one, two, true, false]);
  expect([...open]).toEqual([
    [1, one],
    ['1', two],
    [3, three],
  ]);
  expect([open.take('1'), open.take('1'), open.delete(1), open.delete(1)]).toEqual([two, undefined, true, false]);
  expect([[...open.keys()], [...open.values()], open.size]).toEqual([[3], [three], 1]);
  open.clear();
  expect([open.size, open.get(3)]).toEqual([0, undefined]);
});

test('what is deleted while all are gone through is not met any more, and what comes meanwhile is', () => {
  const open = new InFlight<number, { readonly at: number }>();
  for (const at of [0, 1, 2]) open.set(at, { at });
  const met: number[] = [];
  for (const [id] of open) {
    met.push(id);
    open.delete(1);
    if (id === 0) open.set(3, { at: 3 });
  }
  expect(met).toEqual([0, 2, 3]);
});

interface Things {
  set(id: number, thing: object): unknown;
  delete(id: number): unknown;
}

/** Bytes that are copied at each scavenge while things pass through, 32 at a time. */
async function copied(things: Things): Promise<number> {
  const pass = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      things.set(at, { words: Array.from({ length: 200 }, (_, word) => word + at) });
      things.delete(at - 32);
      if (at % 100 === 0) await turn();
    }
  };
  await pass(5_000);
  const profiler = new v8.GCProfiler();
  profiler.start();
  await pass(40_000);
  const scavenges = profiler.stop().statistics.filter(({ gcType }) => gcType === 'Scavenge');
  const used = (heap: v8.GCProfilerResult['statistics'][number]['afterGC'], space: string): number =>
    heap.heapSpaceStatistics.find(({ spaceName }) => spaceName === space)?.spaceUsedSize ?? 0;
  const all = scavenges.map(
    ({ beforeGC, afterGC }) =>
      used(afterGC, 'new_space') + Math.max(0, used(afterGC, 'old_space') - used(beforeGC, 'old_space')),
  );
  return all.reduce((sum, bytes) => sum + bytes, 0) / all.length;
}

test('of what has left nothing is copied by the collector, as most of it is where a plain map had it', async () => {
  const plain = await copied(new Map());
  // What else the process allocates is copied too: the least of three tries says what is due to the map.
  let ours = Infinity;
  for (let tries = 0; tries < 3 && ours >= plain / 4; tries++) ours = Math.min(ours, await copied(new InFlight()));
  expect(ours).toBeLessThan(plain / 4);
});
