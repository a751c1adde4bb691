/**
 * `npm run bench`: what Tooltray costs and saves, measured side by side with what it could cost at least.
 * Prints tables and writes the same figures to .cache/bench/<time>.json.
 *
 *   npm run bench                    everything
 *   npm run bench -- latency start   these parts alone
 *   npm run bench -- --help          which parts there are
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { cacheDir } from './places.mjs';

const parts = [
  'latency',
  'http',
  'http-held',
  'peers',
  'start',
  'memory',
  'shim',
  'tokens',
  'tasks',
  'catalog-tasks',
  'search',
  'scan',
  'results',
  'dashboard',
  'inspector',
  'flow',
  'texts',
  'steps',
  'timeline',
  'pins',
  'trips',
  'isolation',
  'views',
  'team',
  'agent',
];
const words = process.argv.slice(2);
if (words.includes('--help')) {
  console.log(`npm run bench -- [PART …]\n\nParts: ${parts.join(', ')}. Without one, all of them.`);
  process.exit();
}
const unknown = words.find(
  (word, at) => !parts.includes(word) && !/^--/.test(word) && !/^--/.test(words[at - 1] ?? ''),
);
if (unknown !== undefined) {
  console.error(`No part is called ${JSON.stringify(unknown)}. Parts: ${parts.join(', ')}.`);
  process.exit(2);
}
/** What follows an option is its value. */
const wanted = words.filter((word, at) => parts.includes(word) && !words[at - 1]?.startsWith('--'));

const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryMB: Math.round(totalmem() / 1024 / 1024),
  system: `${platform()} ${release()}`,
  node: process.version,
  loadBefore: loadavg()[0],
};
console.log(
  `${machine.cores} × ${machine.cpu}, ${machine.system}, node ${machine.node}, load ${machine.loadBefore.toFixed(1)}`,
);

const results = {};
for (const part of wanted.length > 0 ? wanted : parts) {
  console.log(`\n── ${part} ${'─'.repeat(60)}`);
  const { measure } = await import(`./parts/${part}.mjs`);
  results[part] = await measure((text) => console.log(text));
}

const time = new Date().toISOString();
const file = join(cacheDir, `${time.replaceAll(':', '-')}.json`);
writeFileSync(file, `${JSON.stringify({ time, machine, ...results }, null, 2)}\n`);
console.log(`\nWritten to ${file}`);
