/** How a team's cores keep answers: `CoreStores.answers`, on the team's database and the store of objects that was named. */
import { errorText } from '../../core/base/errors.ts';
import type { CoreStores } from '../../core/core-stores.ts';
import type { Database } from '../database/database.ts';
import { ObjectBytes } from './object-bytes.ts';
import type { ObjectsAddress } from './objects-address.ts';
import { TeamAnswers } from './team-answers.ts';

interface TeamAnswersPlace {
  readonly tenant: string;
  readonly database: Database;
  /** undefined: nothing is spilled. */
  readonly objects: ObjectsAddress | undefined;
}

/** Whether the store of objects can be used is looked at when a core is made, and told in the log where it cannot. */
export function teamAnswers({ tenant, database, objects }: TeamAnswersPlace): CoreStores['answers'] {
  const store = objects === undefined ? undefined : new ObjectBytes(objects);
  return (options) => {
    void store?.probe().catch((error: unknown) => {
      options.log.warn(`Long answers cannot be kept: ${errorText(error)}`, { error });
    });
    return new TeamAnswers({ ...options, tenant, database, objects: store });
  };
}
