/** The desktop's store fulfills the contract of all stores. */
import { answerStoreContract } from './spill-store-contract.ts';
import { openStore } from './spill-fixture.ts';

answerStoreContract(() => openStore());
