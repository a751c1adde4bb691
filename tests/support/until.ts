/** Waits for something to become true; the test's own time-out is the limit. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves as soon as `done` says so; a test of which it never does fails by its time-out, at this line. */
export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(5);
}
