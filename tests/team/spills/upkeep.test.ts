/** Retention of a team's spills: each is deleted once by concurrent replicas, and nothing is left over. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Pruned } from '../../../src-main/core/spills/spill-pruner.ts';
import { SpillTable } from '../../../src-main/team/spills/spill-table.ts';
import { codeOf, keepText, originOf, textOf } from '../../core/spills/spill-store-contract.ts';
import { memberOf, openTeam, type Replica } from './team-fixture.ts';

const ann = memberOf('ann');
const { signal } = new AbortController();

async function rowsOf({ database }: Replica): Promise<number> {
  const [row] = await database.sql`SELECT count(*)::int AS count FROM tooltray.answers`;
  return (row as { count: number }).count;
}

test('when replicas prune at once, one of them deletes each spill with its bytes', async () => {
  const team = await openTeam();
  const replicas = [await team.open(), await team.open(), await team.open()];
  const [a] = replicas as [Replica];
  const ids = [];
  for (let at = 0; at < 12; at++) ids.push((await keepText(a.store, `answer ${at}`, originOf(ann))).id);
  for (const replica of replicas) replica.settings = { ...replica.settings, maxCount: 4 };
  const pruned: Pruned[] = [];
  const all = async (): Promise<void> => {
    const done = await Promise.all([
      ...replicas.map(({ store }) => store.prune()),
      keepText(a.store, 'kept meanwhile', originOf(ann)).then(() => ({ removed: 0, bytes: 0 })),
    ]);
    pruned.push(...done);
  };
  await all();
  await all();
  await a.store.prune();
  expect(await rowsOf(a)).toBe(4);
  // 12 and two more, of which 4 remain.
  expect(pruned.reduce((sum, { removed }) => sum + removed, 0)).toBeLessThanOrEqual(10);
  const [first = ''] = ids;
  expect([await codeOf(a.store.open(first, ann)), await bytesAt(first)]).toEqual(['not_found', 'not_found']);

  function bytesAt(id: string): Promise<string> {
    return codeOf(
      (async () => {
        for await (const chunk of team.objects.read({ id }, 8, signal)) expect(chunk).toBeDefined();
      })(),
    );
  }
});

test('finishes a read of a spill that is deleted meanwhile', async () => {
  const team = await openTeam();
  const [a, b] = [await team.open(), await team.open()];
  const { id } = await keepText(a.store, 'being read', originOf(ann));
  {
    await using reading = await b.store.open(id, ann);
    expect(await b.store.remove(id, ann)).toBe(true);
    expect((await reading.handle.readFile()).toString()).toBe('being read');
  }
  expect([await codeOf(a.store.open(id, ann)), await codeOf(b.store.open(id, ann)), await rowsOf(a)]).toEqual([
    'not_found',
    'not_found',
    0,
  ]);
});

test('removes partly written and partly deleted spills of a killed replica', async () => {
  const team = await openTeam();
  const a = await team.open();
  const spill = await keepText(a.store, 'whole', originOf(ann));
  const rows = new SpillTable(a.database);
  const half = { ...spill, id: `${spill.id.slice(0, -3)}abc`, answerId: 'x' };
  await rows.insertPending([{ spill: half, name: 'x-y.txt' }]);
  const bytes = randomBytes(10);
  const pieces = async function* (): AsyncIterable<Uint8Array> {
    await Promise.resolve();
    yield bytes;
  };
  await team.objects.put({ id: half.id }, pieces, 10, signal);
  expect([await codeOf(a.store.open(half.id, ann)), (await a.store.list({}, ann)).length]).toEqual(['not_found', 1]);
  // It may still be in progress.
  await a.store.prune();
  expect(await rowsOf(a)).toBe(2);
  await a.database.sql`UPDATE tooltray.answers SET changed_at = now() - interval '2 hours'`;
  await expect.poll(async () => (await a.store.prune(), await rowsOf(a))).toBe(1);
  expect([await textOf(a.store, spill.id, ann), await codeOf(read())]).toEqual(['whole', 'not_found']);

  async function read(): Promise<void> {
    for await (const chunk of team.objects.read({ id: half.id }, 10, signal)) expect(chunk).toBeDefined();
  }
});
