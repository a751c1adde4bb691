/**
 * What it costs a call that its texts are kept: the same calls through a core that keeps them and one that does not.
 */
import { compareCores } from '../echo-cores.mjs';
import { verdict } from '../table.mjs';

const mostShare = 0.05;

export async function measure(print) {
  const rows = await compareCores(print, {
    without: { settings: { activity: { storePayloads: false } } },
    with: { settings: { activity: { storePayloads: true } } },
  });
  print(`\nadded by keeping ÷ the pipeline's own time, p50: ${verdict(rows[1].share, mostShare)}`);
  return { rows };
}
