/** How the servers of a core fare once those that are just starting have had a moment to show it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreState } from '../rpc/contract.ts';
import type { CoreAccess } from './core-access.ts';

const patienceMs = 10_000;
const lookEveryMs = 100;

export async function settledState(core: CoreAccess): Promise<CoreState> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const state = await core.ask('state', {});
    if (Date.now() > until || !state.servers.some(({ level }) => level === 'busy')) return state;
    await sleep(lookEveryMs);
  }
}
