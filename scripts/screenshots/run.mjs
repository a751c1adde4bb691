/** `npm run screenshots [SITUATION…] [VIEW…]`: every view of the dashboard, light and dark, wide and narrow, in each situation. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { findBrowser } from '../browser.mjs';
import { openClient, situations, writeConfig, writePerson } from './situations.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'docs/screenshots');
const allViews = ['overview', 'servers', 'activity', 'spills', 'setup', 'settings'];
const widths = [1280, 900, 600];
const themes = ['light', 'dark'];
/** What a view fetches after it is opened has time to come. */
const settleMs = 900;

const words = process.argv.slice(2);
const views = chosen(allViews, (view) => view);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: findBrowser(), chromiumSandbox: process.getuid?.() !== 0 });
try {
  for (const situation of chosen(situations, ({ name }) => name)) await photograph(situation);
} finally {
  await browser.close();
}

/** Those that the command line names; all where it names none. */
function chosen(all, nameOf) {
  const named = all.filter((one) => words.includes(nameOf(one)));
  return named.length === 0 ? all : named;
}

async function photograph({ name, config, live, details }) {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-screenshots-'));
  const home = join(folder, 'tooltray');
  writePerson(folder);
  writeConfig(home, config);
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: undefined, TOOLTRAY_HOME: home };
  const core = spawn(process.execPath, [join(root, 'dist/cli.js'), 'serve', '--port', '0', '--no-open'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let client;
  try {
    const link = await linkOf(core);
    if (live !== undefined) {
      // Not before: its shim would start a core of its own.
      client = openClient(env);
      await live(client);
    }
    const shots = {
      ...Object.fromEntries(views.map((view) => [view, { place: view }])),
      ...(views === allViews && details),
    };
    for (const theme of themes) for (const width of widths) await photographShots(name, shots, link, theme, width);
  } finally {
    await client?.close();
    if (core.exitCode === null && core.kill('SIGTERM')) await new Promise((resolve) => core.once('close', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function photographShots(situation, shots, link, theme, width) {
  for (const [name, { place, open }] of Object.entries(shots)) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: theme });
    await page.goto(link);
    await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
    await sleep(settleMs);
    if (open !== undefined) {
      await open(page);
      await sleep(settleMs);
    }
    const file = join(folder, `${situation}-${name}-${theme}-${width}.png`);
    await page.screenshot({ path: file });
    console.log(file);
    await page.close();
  }
}

/** The dashboard's address with its key, as `serve` prints it. */
function linkOf(core) {
  return new Promise((resolve, reject) => {
    let text = '';
    core.stdout.on('data', (chunk) => {
      text += chunk;
      const [link] = /http:\/\/127\.0\.0\.1:\d+\/#key=\S+/.exec(text) ?? [];
      if (link !== undefined) resolve(link);
    });
    core.once('close', (code) => reject(new Error(`The core ended with ${code}.`)));
  });
}
