/**
 * The dashboard while client apps call two thousand times a second: frames, what is pushed, how soon a click is
 * answered.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Core } from '../core.mjs';
import { measureLargeTable } from '../dashboard/large-table.mjs';
import { measureLongLists } from '../dashboard/long-lists.mjs';
import { WatchedBrowser } from '../dashboard/watched-page.mjs';
import { cli, entry, fixture, shim } from '../places.mjs';
import { quantile } from '../statistics.mjs';
import { formatTable } from '../table.mjs';

const rate = 2000;
const seconds = 10;
const apps = 2;
const records = 10_000;
/** A frame that is longer than this is seen as a jerk, in ms. */
const longestFrame = 50;
const maxMessages = 5;
/** Frames at p99, against the same page idle in the same run. */
const mostRatio = 1.2;
/** Of all that a page is sent while it is looked at, in bytes a second. */
const mostTraffic = 50_000;
const trace = 'activity/sessions/all';

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const core = await Core.start(
    cli,
    { echo: entry(fixture('echo')), tracker: entry(fixture('tracker')) },
    { settings },
  );
  stack.defer(() => core.stop());
  const caller = await startCaller(core, stack);
  const browser = await WatchedBrowser.start();
  stack.defer(() => browser.close());
  // V8 has compiled the core's path, and there are records enough to scroll through.
  await caller({ rate, seconds: records / rate });
  const pages = [await browser.open(core.dashboard, 'overview')];
  const bench = { print, pages, caller };
  const rows = [];
  for (const view of ['overview', 'activity', trace]) rows.push(await underLoad(bench, view, 1));
  pages.push(await browser.open(core.dashboard, 'overview'));
  for (const view of ['overview', 'activity']) rows.push(await underLoad(bench, view, 2));
  rows.push(await scrolling(bench));
  await Promise.all(pages.map(({ page }) => page.close()));
  rows.push(...(await measureLongLists(browser, settings)));
  const { openMs, row } = await measureLargeTable(browser, settings, print);
  rows.push(row);
  print(`\neach against the same page idle just before; frames and clicks in ms\n`);
  print(formatTable(rows.map(shownRow)));
  tellMisses(rows, print);
  return { rows, openMs };
}

const settings = { mode: 'proxy' };

async function startCaller(core, stack) {
  const file = join(import.meta.dirname, '..', 'dashboard', 'caller.mjs');
  const child = fork(file, [shim, String(apps)], { env: core.home.env });
  stack.defer(async () => {
    child.disconnect();
    await once(child, 'exit');
  });
  await once(child, 'message');
  return async (wish) => {
    child.send(wish);
    const [done] = await once(child, 'message');
    if (done.failed > 0) throw new Error(`${done.failed} of ${done.calls} calls failed.`);
    return done;
  };
}

/** All pages show the view; the first one is looked at, and its views are switched now and then. */
async function underLoad({ print, pages, caller }, view, dashboards) {
  await Promise.all(pages.map((page) => page.goTo(view)));
  await sleep(2000);
  const [page] = pages;
  // What is compiled on its first use is no load.
  await clicking(page, view, 1);
  const idle = await page.during(() => clicking(page, view, idleTimes));
  const clicks = idle.result;
  const busy = await page.during(async () => {
    const load = caller({ rate, seconds });
    const clicked = await clicking(page, view, seconds - 1);
    return { clicks: clicked, ...(await load) };
  });
  const name = `${view}, ${dashboards === 1 ? 'one dashboard' : 'two dashboards'}`;
  print(`${name}: ${Math.round(busy.result.calls / busy.result.seconds)} calls a second`);
  return { name, calls: busy.result.calls, idle: { ...idle, clicks }, busy: { ...busy, clicks: busy.result.clicks } };
}

/** As many frames as a p99 means something of. */
const idleTimes = 5;

/**
 * Once a second to the servers and back; resolves to the times from click to paint. A trace is followed: nobody leaves
 * it.
 */
async function clicking(page, view, times) {
  const taken = [];
  const there = { overview: 'main h1', activity: 'main table', servers: 'main table' };
  if (there[view] === undefined) return sleep(times * 1000, taken);
  for (let time = 0; time < times; time++) {
    await sleep(800);
    for (const next of ['servers', view]) {
      const painted = `document.querySelector('nav [aria-current]').hash === '#/${next}' && document.querySelector('${there[next]}') !== null`;
      taken.push(await page.clickToPaint(`nav a[href="#/${next}"]`, painted));
      await sleep(100);
    }
  }
  return taken;
}

/** Ten thousand records and more, scrolled through to the end. */
async function scrolling({ pages: [page] }) {
  await page.goTo('activity');
  await sleep(1500);
  const idle = await page.during(() => sleep(2000));
  const busy = await page.during(() => page.page.evaluate(scrollThrough, records));
  return {
    name: `${busy.result} records scrolled through`,
    calls: 0,
    idle: { ...idle, clicks: [] },
    busy: { ...busy, clicks: [] },
  };
}

/** Runs in the page: a screen a frame; answers with how many rows it came past. */
async function scrollThrough(wanted) {
  const scroller = document.querySelector('main table').parentElement;
  for (let at = 0; at < wanted * 32; at += scroller.clientHeight) {
    scroller.scrollTop = at;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    // What is not read yet is waited for, as a user does.
    while ([...document.querySelectorAll('main tbody td')].some((cell) => cell.textContent === '…')) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }
  return Math.round(scroller.scrollTop / 32);
}

function shownRow({ name, idle, busy }) {
  const ms = (value) => value.toFixed(1);
  const click = (share) => (busy.clicks.length === 0 ? '' : ms(quantile(busy.clicks, share)));
  const clickRatio =
    busy.clicks.length === 0 || idle.clicks.length === 0
      ? ''
      : (quantile(busy.clicks, 0.5) / quantile(idle.clicks, 0.5)).toFixed(1);
  return {
    what: name,
    'frame p50': ms(busy.frame.p50),
    '÷ idle': (busy.frame.p50 / idle.frame.p50).toFixed(2),
    p99: ms(busy.frame.p99),
    '÷ idle ': (busy.frame.p99 / idle.frame.p99).toFixed(2),
    longest: ms(busy.frame.most),
    'long tasks': busy.longTasks.count,
    'events/s': busy.events.perSecond.toFixed(1),
    'kB/s': (busy.events.bytesPerSecond / 1000).toFixed(1),
    'asked kB/s': (busy.answers.bytesPerSecond / 1000).toFixed(1),
    'longest kB': (busy.answers.longest / 1000).toFixed(0),
    'click p50': click(0.5),
    '÷ idle  ': clickRatio,
    'click most': click(1),
  };
}

function tellMisses(rows, print) {
  const jerky = rows.filter(({ busy, idle }) => busy.frame.p99 > longestFrame && busy.frame.p99 > idle.frame.p99 * 1.5);
  const chatty = rows.filter(({ busy }) => busy.events.perSecond > maxMessages);
  const looked = rows.filter(({ calls }) => calls > 0);
  const slower = looked.filter(({ busy, idle }) => busy.frame.p99 > idle.frame.p99 * mostRatio);
  const heavy = looked.filter(({ busy }) => trafficOf(busy) > mostTraffic);
  for (const { name, busy, idle } of slower)
    print(`MISSED: ${name}: frames p99 are ${(busy.frame.p99 / idle.frame.p99).toFixed(2)} × idle, not ${mostRatio}.`);
  for (const { name, busy } of heavy) print(`MISSED: ${name}: ${(trafficOf(busy) / 1000).toFixed(0)} kB a second.`);
  for (const { name } of jerky) print(`MISSED: ${name}: one frame in a hundred is longer than ${longestFrame} ms.`);
  for (const { name } of chatty) print(`MISSED: ${name}: more than ${maxMessages} messages a second.`);
  if (jerky.length + chatty.length === 0) print('\nframes within 50 ms (p99), at most five messages a second: met');
  if (slower.length + heavy.length === 0)
    print(`under load frames p99 within ${mostRatio} × idle, at most ${mostTraffic / 1000} kB a second: met`);
}

function trafficOf({ events, answers }) {
  return events.bytesPerSecond + answers.bytesPerSecond;
}
