/**
 * A core for all tests of a file, with servers that respond and a client app that calls, for tests of recorded calls.
 */
import { test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

export interface TrackerCore {
  /** The dashboard's link, with its key. */
  readonly link: string;
  /** Calls a tool as the client app; resolves to the answer's text. */
  call(tool: string, args?: object): Promise<string>;
}

export const test = plain.extend<object, { core: TrackerCore }>({
  core: [
    // Playwright wants a pattern here, and reads from it what else has to be made first.
    async ({ browserName: _ }, use) => {
      const servers = { tracker: fixtureCommand('tracker'), big: fixtureCommand('misbehaving', 'big') };
      // Pictures are kept only where a threshold is named.
      await using core = await ServedCore.start({ config: { mode: 'proxy', servers, results: { threshold: 40_000 } } });
      const app = await core.connect();
      await use({ link: core.link, call: (tool, args) => app.call(tool, args) });
    },
    { scope: 'worker' },
  ],
});
