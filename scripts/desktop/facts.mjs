/**
 * What the desktop app needs of the Electron that is installed, tried inside of it: run by the workflow `desktop.yml`
 * on every system. Exits with 1 where something is missing. `node scripts/desktop/facts.mjs`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createPackageWithOptions } from '@electron/asar';
import { findElectron } from '../start/find-electron.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const maxMs = 60_000;

const { program, why } = await findElectron(root);
if (program === undefined) {
  console.error(`There is no Electron to try: ${why}`);
  process.exit(1);
}
const home = mkdtempSync(join(tmpdir(), 'tooltray-facts-'));
const app = join(home, 'app');
cpSync(join(import.meta.dirname, 'facts'), app, { recursive: true });
writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'facts', type: 'module', main: 'main.mjs' }));
const archive = join(home, 'app.asar');
await createPackageWithOptions(app, archive, { unpack: '{child.mjs,package.json}' });
const child = spawn(program, [archive], {
  env: {
    ...process.env,
    TOOLTRAY_FACTS_STARTED: String(Date.now()),
    TOOLTRAY_FACTS_HOME: home,
    TOOLTRAY_FACTS_KEYRING: createRequire(import.meta.url).resolve('@napi-rs/keyring'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const timer = setTimeout(() => child.kill('SIGKILL'), maxMs);
const ended = once(child, 'exit');
const printed = await text(child.stdout);
await ended;
clearTimeout(timer);
rmSync(home, { recursive: true, force: true, maxRetries: 5 });

const line = printed.split('\n').find((one) => one.startsWith('facts '));
if (line === undefined) {
  console.error(`Electron printed no facts:\n${printed}`);
  process.exit(1);
}
const facts = JSON.parse(line.slice('facts '.length));
console.table(facts);
const failed = Object.entries(facts).filter(([, { ok }]) => ok === false);
for (const [name, { detail }] of failed) console.error(`${name}: ${detail}`);
process.exitCode = failed.length === 0 ? 0 : 1;
