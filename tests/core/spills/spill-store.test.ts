/** The desktop's store keeps to the contract of all. */
import { answerStoreContract } from './answer-store-contract.ts';
import { openStore } from './spill-fixture.ts';

answerStoreContract(() => openStore());
