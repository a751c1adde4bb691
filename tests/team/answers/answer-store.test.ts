/** A team's store keeps to the contract of all, with its bytes in the database and in a store of objects. */
import { describe } from 'vitest';
import { answerStoreContract } from '../../core/spills/answer-store-contract.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { openReplica, openTeam } from './team-fixture.ts';

describe('in the database', () => answerStoreContract(async () => openReplica(await teamDatabase())));

describe('in a store of objects', () => answerStoreContract(async () => (await openTeam()).open()));
