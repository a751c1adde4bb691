/**
 * `npm run test:load`: the whole suite three times beside four busy loops. What fails is a fault of the product or of a
 * test; nothing is repeated. `npm run test:load -- FILE …`: these files alone. Exit code 1 if a run failed. Not part
 * of CI: it takes an hour.
 */
import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const runs = 3;
const loops = 4;

const busy = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
const stop = () => busy.forEach((loop) => loop.kill('SIGKILL'));
process.on('exit', stop);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const results = [];
for (let run = 1; run <= runs; run++) {
  const startedAt = Date.now();
  const script = fileURLToPath(new URL('run.mjs', import.meta.url));
  const env = { ...process.env, TOOLTRAY_TEST_RETRIES: '0' };
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit', env });
  results.push({ run, ok: status === 0, minutes: ((Date.now() - startedAt) / 60_000).toFixed(1) });
}
for (const { run, ok, minutes } of results)
  process.stdout.write(`Run ${run} of ${runs}: ${ok ? 'passed' : 'failed'}, ${minutes} min\n`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
