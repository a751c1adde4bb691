/** Waits for a condition; limited by the test's timeout. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once `done` returns true; otherwise the test times out at this line. */
export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(5);
}
