/**
 * Brings the checkout up to date, so that `npm start` and `npm test` work as the only command on a fresh clone.
 * Runs before `npm ci` and on any Node from 20 on: built-in modules only, plain JavaScript.
 *
 *   node scripts/setup.mjs              packages
 *   node scripts/setup.mjs --build      packages, dist/
 *   node scripts/setup.mjs --browser    packages, a browser for the end-to-end tests
 */
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureBuild } from './setup/build.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { takeLock } from './setup/lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  await setUp(new Set(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\nset-up: ${error.message}\n`);
  process.exitCode = 1;
}

async function setUp(flags) {
  requireNode(20);
  const releaseLock = await takeLock(root);
  try {
    await ensurePackages(root);
    // The browser is fetched while the build computes; neither is left running when the other fails.
    const parts = [flags.has('--build') && ensureBuild(root), flags.has('--browser') && ensureBrowser()];
    const failed = (await Promise.allSettled(parts)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  } finally {
    releaseLock();
  }
}

function requireNode(major) {
  if (Number.parseInt(process.versions.node, 10) >= major) return;
  throw new SetupError(`Node.js ${major} or newer is needed; this is ${process.version}. Install it from nodejs.org.`);
}

async function ensureBrowser() {
  // Imported late: it uses Playwright, which is there only once the packages are.
  const browser = await import('./setup/browser.mjs');
  await browser.ensureBrowser();
}
