/** A thousand servers, and a thousand tools in a drawer: how long until they stand there, and how they scroll. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { cli, entry } from '../places.mjs';

const servers = 1000;

/** Resolves to rows as the other measurements of the dashboard have them. */
export async function measureLongLists(browser, settings) {
  const off = { ...entry([process.execPath, '-e', '0']), disabled: true };
  const many = entry([process.execPath, join(import.meta.dirname, 'many-tools.mjs')]);
  const names = Array.from({ length: servers }, (_, at) => `server-${at}`);
  const config = { many, ...Object.fromEntries(names.map((name) => [name, off])) };
  const core = await Core.start(cli, config, { settings });
  try {
    const page = await browser.open(core.dashboard, 'overview');
    await sleep(2000);
    const idle = { ...(await page.during(() => sleep(2000))), clicks: [] };
    const listed = 'document.querySelectorAll("main tbody tr").length > 10';
    const row = (name, busy) => ({ name, calls: 0, idle, busy: { ...busy, clicks: busy.result ?? [] } });
    const rows = [];
    const click = () => page.clickToPaint('nav a[href="#/servers"]', listed);
    rows.push(row(`${servers} servers, opened`, await page.during(async () => [await click()])));
    rows.push(
      row(`${servers} servers, scrolled through`, await page.during(() => page.page.evaluate(scrollThrough, '.view'))),
    );
    await page.goTo('servers/many');
    await page.page.getByRole('tab', { name: /^Tools/ }).waitFor();
    const drawn = 'document.querySelectorAll("[role=dialog] li").length > 10';
    const tools = () => page.clickToPaint('[role=dialog] [role=tab]:nth-of-type(2)', drawn);
    rows.push(row('1 000 tools in the drawer', await page.during(async () => [await tools()])));
    rows.push(
      row('1 000 tools, scrolled through', await page.during(() => page.page.evaluate(scrollThrough, '[role=dialog]'))),
    );
    await page.page.close();
    return rows;
  } finally {
    await core.stop();
  }
}

/** Runs in the page: a screen each frame, in whatever scrolls inside of the element. */
async function scrollThrough(selector) {
  const all = [document.querySelector(selector), ...document.querySelectorAll(`${selector} *`)];
  const scroller = all.find((element) => element.scrollHeight > element.clientHeight + 2000);
  if (scroller === undefined) throw new Error(`Nothing scrolls in ${selector}.`);
  for (let at = 0; at < scroller.scrollHeight; at += scroller.clientHeight) {
    scroller.scrollTop = at;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}
