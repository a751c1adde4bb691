/** Runs the contract of all spill stores against a team's store. */
import { answerStoreContract } from '../../core/spills/spill-store-contract.ts';
import { openTeam } from './team-fixture.ts';

answerStoreContract(async () => (await openTeam()).open());
