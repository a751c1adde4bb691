/** Two whole replicas: calls of either are in one activity record and one audit, with a valid chain. */
import { expect, onTestFinished, test } from 'vitest';
import { readPage } from '../../src-main/core/trust/audit/read-audit-log.ts';
import { verifyLog } from '../../src-main/core/trust/audit/verify-audit-log.ts';
import { totalSavings } from '../../src-main/core/activity/ledger/ledger-table.ts';
import { CallQueries } from '../../src-main/team/activity/call-queries.ts';
import { SavingsQueries } from '../../src-main/team/activity/savings-queries.ts';
import { AuditTable } from '../../src-main/team/audit/audit-table.ts';
import { Database } from '../../src-main/team/database/database.ts';
import { TeamKeys } from '../../src-main/team/documents/team-keys.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { fixture } from '../support/start-core.ts';
import { startReplica, teamToken, testKeys } from '../support/start-replica.ts';
import { teamDatabase } from '../support/team-database.ts';

test('collects calls of every replica in one activity record and one audit', async () => {
  const url = await teamDatabase();
  const servers = { echo: fixture('echo') };
  for (const message of ['one', 'two']) {
    await using replica = await startReplica(url, { servers });
    const client = new ModernClient(new HttpClient(replica.url, true, { authorization: `Bearer ${teamToken}` }));
    expect(await client.call('echo_echo', { message })).toMatchObject({ result: { content: [{ text: message }] } });
  }
  const database = new Database({ url, most: 1 });
  onTestFinished(() => database.close());
  const sql = database.sql;
  expect(await new CallQueries(sql).servers('everybody', 0)).toMatchObject([{ server: 'echo', calls: 2 }]);
  expect(totalSavings(await new SavingsQueries(sql).sums('everybody', 'server', {})).calls).toBe(2);
  const log = new AuditTable(sql);
  const { entries } = await readPage(log, { kinds: ['call'] }, 10);
  expect(entries).toMatchObject([{ tool: 'echo' }, { tool: 'echo' }]);
  const ownKey = TeamKeys.fromEnv(testKeys).audit().publicKey;
  expect(await verifyLog({ log, ownKey })).toMatchObject({ holds: true, unsigned: 0 });
  // The same config at both: its servers are recorded once.
  expect((await readPage(log, { kinds: ['server'] }, 10)).entries).toMatchObject([{ server: 'echo', change: 'added' }]);
});

test('an app revoked on one replica is rejected by all', async () => {
  const url = await teamDatabase();
  const both = [await startReplica(url, { servers: {} }), await startReplica(url, { servers: {} })];
  onTestFinished(() => Promise.all(both.map((one) => one[Symbol.asyncDispose]())).then(() => undefined));
  const [here, there] = both.map(({ replica }) => replica.host);
  there?.gate.admit('cursor');
  await here?.appAccess.revoke('cursor');
  await expect.poll(() => there?.appAccess.isRevoked('cursor')).toBe(true);
  expect(() => there?.gate.admit('cursor')).toThrow(expect.objectContaining({ code: 'not_allowed' }) as Error);
});
