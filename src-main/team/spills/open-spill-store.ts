/**
 * How a team's cores keep answers: `CoreStores.answers`, on the team's database and the store of objects that was
 * named.
 */
import type { CoreStores } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Database } from '../database/database.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import type { S3Config } from './s3-config.ts';
import { TeamSpillStore } from './team-spill-store.ts';

interface TeamSpillStoreDeps {
  readonly database: Database;
  /** undefined: nothing is spilled. */
  readonly objects: S3Config | undefined;
}

/** Whether the store of objects can be used is looked at when a core is made, and told in the log if it cannot. */
export function openTeamSpillStore({ database, objects }: TeamSpillStoreDeps): CoreStores['spills'] {
  const store = objects === undefined ? undefined : new S3BlobStore(objects);
  return (options) => {
    void store?.probe().catch((error: unknown) => {
      options.log.warn(`Spills are disabled: ${errorText(error)}`, { error });
    });
    return new TeamSpillStore({ ...options, database, objects: store });
  };
}
