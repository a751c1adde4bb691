/**
 * Entry point of the stand-in: `electron [-r FILE] [--inspect=0] [Chromium switches] FOLDER [arguments of the app]`.
 */
import { readFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Chromium } from './chromium.ts';
import { stage } from './stage.ts';

const words = process.argv.slice(2);
const isOption = (word: string, index: number): boolean => word.startsWith('-') || words[index - 1] === '-r';
const folder = resolve(words.find((word, index) => !isOption(word, index)) ?? '.');
const required = words.filter((_, index) => words[index - 1] === '-r');

stage.appPath = folder;
stage.manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
disguise();
if (words.some((word) => word.startsWith('--inspect'))) inspector.open(0, '127.0.0.1');

const { app } = await import('./electron.ts');
Object.assign(globalThis, { standIn: stage });
const require = createRequire(join(folder, 'package.json'));
for (const file of required) require(resolve(file));
await import(pathToFileURL(join(folder, String(stage.manifest['main']))).href);

// An app that is quitting already, such as a second instance, needs no browser.
if (!stage.isQuitting) {
  const chromium = new Chromium();
  const cdp = await chromium.connect();
  stage.cdp = cdp;
  await cdp.send('Target.setDiscoverTargets', { discover: true });
  cdp.on<{ targetId: string }>('Target.targetDestroyed', ({ targetId }) => {
    for (const window of [...stage.windows]) if (window.webContents._targetId === targetId) window._end();
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit());
  app._becomeReady(() => chromium.stop());
}

/** Makes this process look like Electron's main process: its arguments, versions, and module `electron`. */
function disguise(): void {
  process.argv.splice(1, 1);
  const { version } = createRequire(import.meta.url)('electron/package.json') as { version: string };
  Object.defineProperty(process.versions, 'electron', { value: version });
  Object.defineProperty(process, 'type', { value: 'browser' });
  if (stage.program === undefined) Object.defineProperty(process, 'defaultApp', { value: true });
  const home = stage.program === undefined ? folder : dirname(stage.program);
  Object.defineProperty(process, 'resourcesPath', { value: join(home, 'resources') });
  const url = new URL('./electron.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      /^electron(\/(main|common))?$/.test(specifier) ? { url, shortCircuit: true } : next(specifier, context),
  });
}
