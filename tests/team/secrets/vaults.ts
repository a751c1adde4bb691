/** The team's vaults of one replica, in a real database. */
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { ChangeFeed } from '../../../src-main/team/database/change-feed.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { TeamVaults } from '../../../src-main/team/secrets/team-vault.ts';

export const someKey = randomBytes(32);

export interface OpenVaults {
  readonly vaults: TeamVaults;
  readonly database: Database;
  readonly changes: ChangeFeed;
}

/** As opened by another replica. */
export async function openVaults(
  url: string,
  { ring = [someKey] }: { readonly ring?: readonly Buffer[] } = {},
): Promise<OpenVaults> {
  const database = new Database({ url, most: 4 });
  const changes = new ChangeFeed(database.sql, { warn: () => undefined });
  await changes.start();
  const vaults = new TeamVaults({ sql: database.sql, ring, changes });
  onTestFinished(async () => {
    vaults.close();
    await changes.stop();
    await database.close();
  });
  return { vaults, database, changes };
}
