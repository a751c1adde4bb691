/** A core for all tests of a file, with working servers and a client app that calls tools. */
import { test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

export interface TrackerCore {
  /** The dashboard's link, with its key. */
  readonly link: string;
  /** Calls a tool as the client app; resolves to the result's text. */
  call(tool: string, args?: object): Promise<string>;
}

export const test = plain.extend<object, { core: TrackerCore }>({
  core: [
    // Playwright requires a destructuring pattern here, from which it derives dependencies.
    async ({ browserName: _ }, use) => {
      const servers = { tracker: fixtureCommand('tracker'), big: fixtureCommand('misbehaving', 'big') };
      // Images are spilled only with an explicit threshold.
      await using core = await ServedCore.start({ config: { mode: 'proxy', servers, results: { threshold: 40_000 } } });
      const app = await core.connect();
      await use({ link: core.link, call: (tool, args) => app.call(tool, args) });
    },
    { scope: 'worker' },
  ],
});
