/** Waits for something to become true; the test's own time-out is the limit. */
import { setTimeout as sleep } from 'node:timers/promises';

export async function until(done: () => boolean): Promise<void> {
  while (!done()) await sleep(10);
}
