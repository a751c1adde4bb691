/**
 * The dashboard in a browser of its own, watched from inside (frames, long tasks) and outside (bytes, requests,
 * memory).
 */
import { chromium } from 'playwright';
import { findBrowser } from '../../browser.mjs';
import { processMemory } from '../process-memory.mjs';
import { quantile } from '../statistics.mjs';

/** What comes from the core within so many ms of each other is one message: they are told 200 ms apart. */
const sameMessageMs = 60;

export class WatchedBrowser {
  #server;
  #browser;

  static async start() {
    const watched = new WatchedBrowser();
    const isRoot = process.getuid?.() === 0;
    watched.#server = await chromium.launchServer({ executablePath: findBrowser(), chromiumSandbox: !isRoot });
    watched.#browser = await chromium.connect(watched.#server.wsEndpoint());
    return watched;
  }

  /** Of all its processes, in MB; undefined if the system does not tell. */
  get memoryMB() {
    const memory = processMemory(this.#server.process().pid);
    return memory && memory.own + memory.children;
  }

  /** A page that is let in, at a place of the dashboard such as `spills/abc`. */
  async open(link, place) {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addInitScript(watchFrames);
    const page = await context.newPage();
    const watched = new WatchedPage(page, await context.newCDPSession(page));
    await watched.begin(link, place);
    return watched;
  }

  async close() {
    await this.#browser.close();
    await this.#server.close();
  }
}

export class WatchedPage {
  page;
  #devtools;
  /** By request, while it runs. */
  #paths = new Map();
  #events = { bytes: 0, messages: 0, lastAt: 0 };
  #answers = { bytes: 0, count: 0, longest: 0 };

  constructor(page, devtools) {
    this.page = page;
    this.#devtools = devtools;
  }

  async begin(link, place) {
    this.#devtools.on('Network.requestWillBeSent', ({ requestId, request }) =>
      this.#paths.set(requestId, { path: new URL(request.url).pathname, bytes: 0 }),
    );
    this.#devtools.on('Network.dataReceived', (data) => this.#note(data));
    await this.#devtools.send('Network.enable');
    await this.page.goto(link);
    await this.goTo(place);
  }

  goTo(place) {
    return this.page.evaluate((hash) => void (location.hash = hash), `#/${place}`);
  }

  /** Does the work and tells what was seen meanwhile. Times in ms, sizes in bytes. */
  async during(work) {
    [this.#events, this.#answers] = [
      { bytes: 0, messages: 0, lastAt: 0 },
      { bytes: 0, count: 0, longest: 0 },
    ];
    await this.page.evaluate(() => window.watched.begin());
    const begun = performance.now();
    const result = await work();
    const seconds = (performance.now() - begun) / 1000;
    const { frames, longTasks } = await this.page.evaluate(() => window.watched.end());
    return {
      result,
      seconds,
      frame: { p50: quantile(frames, 0.5), p99: quantile(frames, 0.99), most: Math.max(0, ...frames) },
      longTasks: { count: longTasks.length, ms: longTasks.reduce((sum, ms) => sum + ms, 0) },
      events: { bytesPerSecond: this.#events.bytes / seconds, perSecond: this.#events.messages / seconds },
      answers: { ...this.#answers, bytesPerSecond: this.#answers.bytes / seconds },
    };
  }

  /** Of the page's own objects, in MB, after what is no longer needed was let go. */
  async heapMB() {
    await this.#devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#devtools.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  }

  /** From the click until the browser has painted what `isThere` (a function for the page) finds, in ms. */
  clickToPaint(selector, isThere) {
    return this.page.evaluate(
      ([target, source]) => window.watched.clickToPaint(target, new Function(`return ${source}`)),
      [selector, isThere],
    );
  }

  #note({ requestId, dataLength }) {
    const request = this.#paths.get(requestId);
    if (request === undefined) return;
    if (request.path === '/rpc/events') {
      this.#events.bytes += dataLength;
      const now = performance.now();
      if (now - this.#events.lastAt > sameMessageMs) this.#events.messages++;
      this.#events.lastAt = now;
    } else if (request.path.startsWith('/rpc/')) {
      if (request.bytes === 0) this.#answers.count++;
      request.bytes += dataLength;
      this.#answers.bytes += dataLength;
      this.#answers.longest = Math.max(this.#answers.longest, request.bytes);
    }
  }
}

/** Runs in the page, before its own code. */
function watchFrames() {
  let frames = [];
  let longTasks = [];
  let last = 0;
  const next = (now) => {
    if (last > 0) frames.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  });
  window.watched = {
    begin: () => void ([frames, longTasks, last] = [[], [], 0]),
    end: () => ({ frames, longTasks }),
    clickToPaint: (target, isThere) =>
      new Promise((resolve) => {
        const begun = performance.now();
        document.querySelector(target).click();
        const look = () => {
          if (!isThere()) return void requestAnimationFrame(look);
          // The frame in which it stands is painted before the next one begins.
          requestAnimationFrame(() => resolve(performance.now() - begun));
        };
        look();
      }),
  };
}
