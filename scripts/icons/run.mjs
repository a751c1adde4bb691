/** `npm run icons`: draws every size of the icons in resources/ from their SVG sources. The results are committed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { findBrowser } from '../browser.mjs';
import { icns, ico } from './containers.mjs';

const resources = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'resources');
const appSizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const maxIcoSize = 256;
/**
 * Windows scales in steps of a quarter and takes its sizes from one .ico; Linux panels take one big picture and shrink
 * it.
 */
const trayIcoSizes = [16, 20, 24, 32, 40, 48];
const linuxSize = 48;
const templateSizes = { '': 16, '@2x': 32, '@3x': 48 };

const browser = await chromium.launch({
  executablePath: findBrowser(),
  chromiumSandbox: process.platform !== 'linux' || process.getuid() !== 0,
});
try {
  const page = await browser.newPage();
  await drawAppIcons(page);
  await drawTrayIcons(page);
} finally {
  await browser.close();
}

async function drawAppIcons(page) {
  const svg = readFileSync(join(resources, 'icon.svg'), 'utf8');
  mkdirSync(join(resources, 'icons'), { recursive: true });
  const pictures = new Map();
  for (const size of appSizes) {
    pictures.set(size, await draw(page, svg, size));
    writeFileSync(join(resources, 'icons', `${size}x${size}.png`), pictures.get(size));
  }
  writeFileSync(join(resources, 'icon.ico'), ico([...pictures].filter(([size]) => size <= maxIcoSize)));
  writeFileSync(join(resources, 'icon.icns'), icns(pictures));
}

async function drawTrayIcons(page) {
  const folder = join(resources, 'tray');
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.svg'))) {
    const base = name.slice(0, -'.svg'.length);
    const svg = readFileSync(join(folder, name), 'utf8');
    if (base.endsWith('Template')) {
      for (const [suffix, size] of Object.entries(templateSizes)) {
        writeFileSync(join(folder, `${base}${suffix}.png`), await draw(page, svg, size));
      }
      continue;
    }
    writeFileSync(join(folder, `${base}-linux.png`), await draw(page, svg, linuxSize));
    const pictures = [];
    for (const size of trayIcoSizes) pictures.push([size, await draw(page, svg, size)]);
    writeFileSync(join(folder, `${base}.ico`), ico(pictures));
  }
}

async function draw(page, svg, size) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  return page.screenshot({ omitBackground: true });
}
