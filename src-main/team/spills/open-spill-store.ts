/** Creates `CoreStores.spills` on the team's database and the configured object store. */
import type { CoreStores } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Database } from '../database/database.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import type { S3Config } from './s3-config.ts';
import { TeamSpillStore } from './team-spill-store.ts';

interface TeamSpillStoreDeps {
  readonly database: Database;
  /** undefined: results are not spilled. */
  readonly objects: S3Config | undefined;
}

/** Checks whether the object store is usable when a core is created, and logs a warning if not. */
export function openTeamSpillStore({ database, objects }: TeamSpillStoreDeps): CoreStores['spills'] {
  const store = objects === undefined ? undefined : new S3BlobStore(objects);
  return (options) => {
    void store?.probe().catch((error: unknown) => {
      options.log.warn(`Spills are disabled: ${errorText(error)}`, { error });
    });
    return new TeamSpillStore({ ...options, database, objects: store });
  };
}
