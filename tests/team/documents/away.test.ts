/** PostgreSQL killed and restarted: known data is served, writes are rejected, and buffered notes arrive once. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Cluster, startPostgres } from '../../../scripts/team/engines/postgres.ts';
import { storedPayloads } from '../../core/activity/fixture.ts';
import { activityThread } from '../../support/shared-workers.ts';
import { ActivityLog } from '../../../src-main/core/activity/activity-log.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { readAll } from '../../../src-main/core/trust/audit/read-audit-log.ts';
import { verifyLog } from '../../../src-main/core/trust/audit/verify-audit-log.ts';
import { ActivityRows } from '../../../src-main/team/activity/activity-rows.ts';
import { ActivityShipper } from '../../../src-main/team/activity/activity-shipper.ts';
import { CallQueries } from '../../../src-main/team/activity/call-queries.ts';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { TeamAuditWriter } from '../../../src-main/team/audit/audit-writer.ts';
import { migrate } from '../../../src-main/team/database/migrate.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { call } from '../../core/trust/audit/fixture.ts';
import { openReplica, someKey } from './replicas.ts';

const keys = new TeamKeys([someKey]);
const quiet = { warn: () => undefined, info: () => undefined };

async function ownCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-away-'));
  // If tests run as root, PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o711);
  const cluster = await startPostgres({ folder: join(folder, 'postgres') });
  onTestFinished(async () => {
    await cluster.stop('kill');
    rmSync(folder, { recursive: true, force: true });
  });
  await migrate(cluster.url);
  return cluster;
}

test('while the database is down, loses nothing, decides nothing twice, and catches up afterwards', async () => {
  const cluster = await ownCluster();
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-away-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [one, other] = [await openReplica(cluster.url), await openReplica(cluster.url)];
  const sql = one.database.sql;
  const [here, there] = [await one.records.document('decisions'), await other.records.document('decisions')];
  const rows = new AuditTable(sql);
  const seen = await one.records.document('audit-seen');
  const parts = { rows, keys: keys.audit(), seen, masker: new Masker(), log: quiet, now: Date.now };
  const audit = new TeamAuditWriter(parts);
  const activity = new ActivityLog({
    file: join(folder, 'activity.db'),
    masker: new Masker(),
    log: createLog(),
    maxRows: 1000,
    maxBytes: 64 << 20,
    payloads: () => ({ ...storedPayloads, keep: false }),
    thread: activityThread,
  });
  const ship = new ActivityShipper(activity, { rows: new ActivityRows(sql, 'r1'), log: quiet, changed: [] });
  let noted = 0;
  const work = (): void => {
    const session = `s${noted++}`;
    audit.note(call({ session }));
    const times = { durationMs: 1, stages: { resolve: 0, allow: 0, call: 1, shape: 0 } };
    const bytes = { request: 1, serverResult: 1, modelResult: 1 };
    const what = { app: 'cursor', mode: 'proxy', server: 'notes', tool: 'read', outcome: 'ok' } as const;
    activity.record({ startedAt: Date.now(), sessionId: session, ...what, ...times, bytes });
  };
  const settled = async (): Promise<boolean> => (await audit.flush()) && (await ship.ship(true));

  await here.change(() => [['before'], undefined]);
  await expect.poll(() => there.read()).toEqual(['before']);
  for (let at = 0; at < 300; at++) work();
  // Killed while batches are in flight: their outcome is unknown.
  const underWay = settled();
  await cluster.stop('kill');
  await underWay;
  for (let at = 0; at < 300; at++) work();
  await expect(here.change(() => [['meanwhile'], undefined])).rejects.toMatchObject({ code: 'store_unreachable' });
  expect(await here.read()).toEqual(['before']);
  expect(await settled()).toBe(false);

  await cluster.start();
  await expect.poll(settled, { timeout: 30_000 }).toBe(true);
  await here.change(() => [['after'], undefined]);
  await expect.poll(() => there.read(), { timeout: 30_000 }).toEqual(['after']);
  const sessions: string[] = [];
  for await (const { record } of readAll(rows, { kinds: ['call'] }))
    if (record.kind === 'call') sessions.push(record.session);
  expect([sessions.length, new Set(sessions).size]).toEqual([noted, noted]);
  const { publicKey: ownKey } = keys.audit();
  expect(await verifyLog({ log: rows, ownKey })).toMatchObject({ holds: true });
  const [sum] = await new CallQueries(sql).servers('everybody', 0);
  expect(sum).toMatchObject({ calls: noted });
  await ship.close();
  await activity.close();
  await audit.close();
});
