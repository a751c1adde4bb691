/** How a team's cores keep answers: `CoreStores.answers`, on the team's database and the store of objects that was named. */
import type { Env } from '../../core/base/app-paths.ts';
import { errorText } from '../../core/base/errors.ts';
import type { CoreStores } from '../../core/core-stores.ts';
import type { Database } from '../database/database.ts';
import { ObjectBytes } from './object-bytes.ts';
import { readObjectsAddress } from './objects-address.ts';
import { TeamAnswers } from './team-answers.ts';

interface TeamAnswersPlace {
  readonly database: Database;
  /** `s3://bucket/prefix?endpoint=…&region=…`; undefined: bytes go into the database. */
  readonly objects: string | undefined;
  /** Holds the key of the store of objects. */
  readonly env: Env;
  /** Room for answers on this replica's disk, in bytes; 2 GB by default. */
  readonly cacheBytes?: number | undefined;
}

/** Throws AppError bad_request for an address or a key that is none. Whether the store can be used is looked at when a core starts. */
export function teamAnswers({ database, objects, env, cacheBytes }: TeamAnswersPlace): CoreStores['answers'] {
  const store = objects === undefined ? undefined : new ObjectBytes(readObjectsAddress(objects, env));
  return (options) => {
    void store?.probe().catch((error: unknown) => {
      options.log.warn(`Long answers cannot be kept: ${errorText(error)}`, { error });
    });
    return new TeamAnswers({
      ...options,
      database,
      objects: store,
      ...(cacheBytes !== undefined && { cache: { mostBytes: cacheBytes } }),
    });
  };
}
