/** Lists that change at one replica are heard of at another, also where nobody has listed yet. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startReplicas } from '../../support/start-replicas.ts';
import { listenAt, openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

test('whoever listens at a replica that never listed hears of a list that another one’s server changed', async () => {
  const database = await teamDatabase();
  const counting = join(import.meta.dirname, '../../integration/servers/counting.ts');
  const config = { servers: { counting: { command: process.execPath, args: [counting] } } };
  const replicas = await startReplicas(database, ['a', 'b'], config);
  onTestFinished(async () => {
    for (const replica of Object.values(replicas)) await replica[Symbol.asyncDispose]();
  });
  const { a, b } = replicas;
  // Both have said what they list, and it is the same.
  const sql = a.replica.database.of('main');
  const digests = (): Promise<string[]> =>
    sql<{ digest: string }[]>`SELECT digest FROM tooltray.listings`.then((rows) => rows.map(({ digest }) => digest));
  await expect.poll(digests).toHaveLength(1);
  const [before] = await digests();

  await using listening = await listenAt(b.url, { toolsListChanged: true });
  const { session } = await openSession(a.url);
  await post(a.url, 'tools/call', { name: 'counting_change', arguments: {} }, session);
  await until(() => listening.told.some(({ method }) => method === 'notifications/tools/list_changed'));
  expect(await digests()).not.toEqual([before]);
});
