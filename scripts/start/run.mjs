/**
 * `npm start`: the desktop app where it can run, else Tooltray with its dashboard in the browser; says which and why.
 * Words behind `--` go to whichever it is; `npm start -- --browser` skips the desktop app.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { whyNoDesktop } from './desktop-place.mjs';
import { findElectron } from './find-electron.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** A desktop app that ends sooner than this with an error did not start. */
const shortestLifeMs = 5_000;

const words = process.argv.slice(2).filter((word) => word !== '--browser');
const obstacle = process.argv.includes('--browser') ? 'as you asked' : await startDesktop();
if (obstacle !== undefined) {
  console.log(`Tooltray runs without its desktop app (${obstacle}); its dashboard is a page in your browser.\n`);
  process.exitCode = await run(process.execPath, [join(root, 'dist/cli.js'), 'serve', ...words]);
}

/** Runs the app to its end; answers why it could not. */
async function startDesktop() {
  const { platform, env } = process;
  const obstacle = whyNoDesktop({ platform, env, isRoot: process.getuid?.() === 0 });
  if (obstacle !== undefined) return obstacle;
  const { program, why } = await findElectron(root);
  if (program === undefined) return why;
  console.log('Tooltray runs as a desktop app: look for its icon in the tray. Starting it again opens the dashboard.');
  const startedAt = Date.now();
  const code = await run(program, [root, ...words]);
  if (code !== 0 && Date.now() - startedAt < shortestLifeMs) return `Electron ended at once with code ${code}`;
  process.exitCode = code;
  return undefined;
}

/** Resolves with the exit code. Signals to us are for the child, which ends its own children. */
function run(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.once('error', () => resolve(127));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
