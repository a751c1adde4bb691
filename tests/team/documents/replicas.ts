/** Replicas over one real database, and processes over one folder: the same stores, twice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CoreStores, homeStores } from '../../../src-main/core/core-stores.ts';
import { appAccessFile, AppAccessStore } from '../../../src-main/core/security/app-access.ts';
import { ChangeFeed } from '../../../src-main/team/database/change-feed.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { DocumentTable } from '../../../src-main/team/documents/document-table.ts';
import { TeamDocuments } from '../../../src-main/team/documents/team-documents.ts';
import { teamDatabase } from '../../support/team-database.ts';

export const silent = { warn: () => undefined };
export const someKey = Buffer.alloc(32, 7);

export interface Replica {
  readonly database: Database;
  readonly rows: DocumentTable;
  readonly records: TeamDocuments;
}

/** Closed with the test. */
export async function openReplica(url: string, keys: readonly Buffer[] = [someKey]): Promise<Replica> {
  const database = new Database({ url, most: 2 });
  const changes = new ChangeFeed(database.sql, silent);
  const rows = new DocumentTable(database.sql, keys);
  const records = new TeamDocuments({ rows, changes, log: silent });
  onTestFinished(async () => {
    await records.close();
    await changes.stop();
    await database.close();
  });
  await changes.start();
  return { database, rows, records };
}

/** The stores of one process. */
export interface Opened {
  readonly stores: CoreStores;
  readonly access: AppAccessStore;
}

/** Returns a function that opens another process's stores at the same place. */
export const implementations: Readonly<Record<string, () => Promise<() => Promise<Opened>>>> = {
  'files of a home': () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-stores-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return Promise.resolve(() => {
      const access = new AppAccessStore(appAccessFile(join(folder, 'app-access.json')));
      return Promise.resolve({ stores: homeStores(folder), access });
    });
  },
  'a team’s database': async () => {
    const url = await teamDatabase();
    return async () => {
      const { records } = await openReplica(url);
      const stores = (await records.stores()) as CoreStores;
      return { stores, access: new AppAccessStore(stores.appAccess) };
    };
  },
};
