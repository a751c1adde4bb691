/**
 * Echoes while something else happens: one through the core, one past it to an echo server of its own, in turns. What
 * the second one suffers is the machine's doing, not the core's.
 */
import { quantile } from '../statistics.mjs';

export class Echoes {
  #through;
  #past;

  /** `through`, `past`: functions that echo once. */
  constructor(through, past) {
    this.#through = through;
    this.#past = past;
  }

  /** Goes on until `work` has settled; resolves to the times of both in ms, and how long it took. */
  async during(work) {
    let isDone = false;
    const begun = performance.now();
    const over = work().finally(() => (isDone = true));
    // Whoever awaits it comes later.
    over.catch(() => undefined);
    const taken = { through: [], past: [] };
    while (!isDone) {
      taken.through.push(await timed(this.#through));
      taken.past.push(await timed(this.#past));
    }
    await over;
    return { seconds: (performance.now() - begun) / 1000, ...taken };
  }
}

/** p50 and p99 of both. */
export function echoFigures({ through, past }) {
  return {
    p50: quantile(through, 0.5),
    p99: quantile(through, 0.99),
    pastP50: quantile(past, 0.5),
    pastP99: quantile(past, 0.99),
    count: through.length,
  };
}

async function timed(echo) {
  const begun = performance.now();
  await echo();
  return performance.now() - begun;
}
