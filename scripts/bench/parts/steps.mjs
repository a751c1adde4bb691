/**
 * What it costs a call that its step is taken down: the same calls through a core from the sources, and one that takes
 * none down.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compareCores } from '../echo-cores.mjs';
import { root } from '../places.mjs';
import { verdict } from '../table.mjs';

const mostShare = 0.05;
const fromSources = join(root, 'src-main', 'cli.ts');
const off = pathToFileURL(join(root, 'scripts', 'bench', 'steps', 'off.mjs')).href;

export async function measure(print) {
  const rows = await compareCores(print, {
    without: { cli: fromSources, nodeArgs: ['--import', off] },
    with: { cli: fromSources },
  });
  print(`\nadded by steps ÷ the pipeline's own time, p50: ${verdict(rows[1].share, mostShare)}`);
  return { rows };
}
