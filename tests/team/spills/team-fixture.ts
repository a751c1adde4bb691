/** Spill stores of a team on a real PostgreSQL and a real object store: each is a replica with a disk of its own. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLog } from '../../../src-main/core/base/log.ts';
import type { Principal } from '../../../src-main/core/security/principal.ts';
import type { BlobStore } from '../../../src-main/team/spills/blob-store.ts';
import { S3BlobStore } from '../../../src-main/team/spills/s3-blob-store.ts';
import { TeamSpillStore, type TeamSpillStoreOptions } from '../../../src-main/team/spills/team-spill-store.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { countRoughly, usualSettings } from '../../core/spills/spill-fixture.ts';
import type { StoreUnderTest } from '../../core/spills/spill-store-contract.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { teamObjects } from '../../support/team-objects.ts';

export interface Replica extends StoreUnderTest {
  readonly store: TeamSpillStore;
  readonly database: Database;
  readonly folder: string;
  /** Store of its bytes. */
  readonly objects: BlobStore | undefined;
}

/** Closed after the test. `url`: the shared database's. */
export async function openReplica(url: string, more: Partial<TeamSpillStoreOptions> = {}): Promise<Replica> {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-replica-'));
  const folder = join(home, 'answers');
  const log = createLog({ file: join(home, 'core.log') });
  const database = new Database({ url, most: 3 });
  const opened = { settings: usualSettings, clock: Date.UTC(2026, 0, 10) };
  const store = new TeamSpillStore({
    folder,
    log,
    database,
    countTokens: countRoughly,
    settings: () => opened.settings,
    now: () => opened.clock,
    // A busy computer needs longer than the usual five seconds for 30 MB.
    keepMs: 60_000,
    readMs: 60_000,
    ...more,
  });
  await store.start();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await store.close();
    await database.close();
    log.close();
    rmSync(home, { recursive: true, force: true });
  };
  const dispose = (): Promise<void> => (closing ??= close());
  onTestFinished(dispose);
  return Object.assign(opened, {
    store,
    database,
    folder: more.folder ?? folder,
    objects: more.objects,
    [Symbol.asyncDispose]: dispose,
  });
}

interface Team {
  readonly url: string;
  readonly objects: S3BlobStore;
  /** Another replica of the same team. */
  open(more?: Partial<TeamSpillStoreOptions>): Promise<Replica>;
}

export async function openTeam(): Promise<Team> {
  const [url, address] = await Promise.all([teamDatabase(), teamObjects()]);
  const objects = new S3BlobStore(address);
  return { url, objects, open: (more) => openReplica(url, { objects, ...more }) };
}

/** A user, with one of their apps. */
export function memberOf(user: string, app = 'app'): Principal {
  return { user, app, session: undefined, owner: `${user}/app/${app}`, isShared: false };
}

/** Files on the replica's disk. */
export function filesOf({ folder }: Replica): string[] {
  return readdirSync(folder);
}
