/**
 * `npm run screenshots [SITUATION…] [VIEW…]`: every view of the dashboard, light and dark, wide and narrow, in each
 * situation.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright';
import { StdioClient } from '../bench/stdio-client.mjs';
import { findBrowser } from '../browser.mjs';
import { root } from './places.mjs';
import { situations, writeConfig, writePerson } from './situations.mjs';

const folder = join(root, 'docs/screenshots');
const clock = new URL('shifted-clock.mjs', import.meta.url).href;
const allViews = ['overview', 'inbox', 'servers', 'activity', 'activity/sessions/all', 'spills', 'setup', 'settings'];
/** CSS pixels by dots; the last one is 1280 at 200 %. */
const sizes = [
  { name: '1680', width: 1680, height: 1050 },
  { name: '1280', width: 1280, height: 800 },
  { name: '900', width: 900, height: 800 },
  { name: '600', width: 600, height: 800 },
  { name: '1280-at-200', width: 640, height: 400, deviceScaleFactor: 2 },
];
const themes = ['light', 'dark'];
/** A view is complete when it has asked nothing for this long. */
const quietMs = 500;

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
  const cli = join(root, 'dist/cli.js');
  const core = spawn(process.execPath, ['--import', clock, cli, 'serve', '--port', '0', '--no-open'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const clients = [];
  // Not before it is up: a shim would start a core of its own.
  const open = (app = 'claude-desktop', called = 'claude-ai') => {
    clients.push(new StdioClient([process.execPath, cli, 'stdio', '--app', app], env, called));
    return clients.at(-1);
  };
  try {
    const link = await linkOf(core);
    await live?.({
      open,
      setClock: (aheadMs) => setClock(core, aheadMs),
      writeConfig: (other) => writeConfig(home, other),
    });
    const shots = {
      ...Object.fromEntries(views.map((view) => [view.split('/').slice(0, 2).join('-'), { place: view }])),
      ...(views === allViews && details),
    };
    for (const theme of themes) for (const size of sizes) await photographShots(name, shots, link, theme, size);
  } finally {
    for (const client of clients) await client.close();
    if (core.exitCode === null && core.kill('SIGTERM')) await new Promise((resolve) => core.once('close', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function photographShots(situation, shots, link, theme, { name: size, width, height, deviceScaleFactor = 1 }) {
  for (const [name, { place, open }] of Object.entries(shots)) {
    const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor, colorScheme: theme });
    const settled = watchRequests(page);
    await page.goto(link);
    await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
    await settled();
    if (open !== undefined) {
      await open(page);
      await settled();
    }
    const file = join(folder, `${situation}-${name}-${theme}-${size}.png`);
    await page.screenshot({ path: file });
    console.log(file);
    await page.close();
  }
}

/** Returns a function that resolves when the page has received every answer, and has asked nothing for a while. */
function watchRequests(page) {
  const pending = new Set();
  let lastAt = performance.now();
  page.on('request', (request) => {
    if (request.url().endsWith('/rpc/events')) return;
    pending.add(request);
    lastAt = performance.now();
  });
  for (const end of ['requestfinished', 'requestfailed']) {
    page.on(end, (request) => pending.delete(request) && (lastAt = performance.now()));
  }
  return async () => {
    lastAt = performance.now();
    while (pending.size > 0 || performance.now() - lastAt < quietMs) await sleep(50);
  };
}

/** Resolves when the core's own clock is so much ahead of the time, in ms. */
async function setClock(core, aheadMs) {
  core.send({ aheadMs });
  await once(core, 'message');
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
