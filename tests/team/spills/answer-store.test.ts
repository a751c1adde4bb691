/** Runs the contract of all spill stores against a team's store. */
import { answerStoreContract } from '../../core/spills/answer-store-contract.ts';
import { openTeam } from './team-fixture.ts';

answerStoreContract(async () => (await openTeam()).open());
