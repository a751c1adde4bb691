/** A team's store keeps to the contract of all. */
import { answerStoreContract } from '../../core/spills/answer-store-contract.ts';
import { openTeam } from './team-fixture.ts';

answerStoreContract(async () => (await openTeam()).open());
