/**
 * The system's own PostgreSQL, asleep under load with all of its connections open. In `npm run test:team` alone; TOOLTRAY_AWAY_SECONDS says for how
 * long (60).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { type Cluster, startPostgres } from '../../../scripts/team/engines/postgres.ts';
import { takesSystem } from '../../../scripts/team/engines/system.ts';
import { openChaosTeam } from './chaos-team.ts';
import { type Load, notTold, startLoad } from './load.ts';
import { until } from '../../support/until.ts';
import { expectWhole } from './verdict.ts';

/** For so long nobody's token has to be looked at again (`people-gate.ts`), in ms. */
const knownMs = 30_000;
const awayMs = Number(process.env['TOOLTRAY_AWAY_SECONDS'] ?? 60) * 1000;

async function ownPostgres(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-away-'));
  const cluster = await startPostgres({ folder });
  onTestFinished(async () => {
    await cluster.stop('kill');
    rmSync(folder, { recursive: true, force: true });
  });
  return cluster;
}

/** Until it was away for long enough, and whoever asked meanwhile was told that nothing was run. */
async function refusedFor(load: Load, ms: number): Promise<void> {
  const away = performance.now();
  await until(() => performance.now() - away > ms);
  if (ms <= knownMs) return;
  await expect.poll(() => notTold(load.calls, away), { timeout: 60_000 }).toEqual([]);
}

test.runIf(takesSystem('postgres'))(
  'PostgreSQL sleeps, and wakes up after a minute: nothing runs twice, and all goes on',
  async () => {
    const cluster = await ownPostgres();
    const team = await openChaosTeam({ look: '/healthz', cluster });
    const load = startLoad(team);
    await load.progress(2);
    cluster.freeze();
    onTestFinished(() => cluster.thaw());
    await refusedFor(load, awayMs);
    cluster.thaw();
    await load.progress(2);
    await expectWhole(team, await load.end());
  },
  900_000,
);
