/** A core with data for every view, shared by all tests of a file. */
import { test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

export interface LivedIn {
  readonly core: ServedCore;
  /** ID of a spilled result. */
  readonly spill: string;
}

const broken = { command: '/no/such/folder/broken' };
const files = {
  '.config/Claude/claude_desktop_config.json': { mcpServers: { notes: fixtureCommand('capabilities') } },
  '.cursor/mcp.json': {
    mcpServers: { broken, gone: { command: '/no/such/folder/gone', env: { API_TOKEN: 'x1y2z3' } } },
  },
  '.config/mcp/config.json': { mcpServers: { broken: fixtureCommand('capabilities') } },
};
const servers = {
  tracker: fixtureCommand('tracker'),
  broken,
  resting: { ...fixtureCommand('echo'), enabled: false },
};

export const test = plain.extend<object, { livedIn: LivedIn }>({
  livedIn: [
    async ({ browserName: _ }, use) => {
      await using core = await ServedCore.start({ config: { mode: 'proxy', servers }, files });
      const app = await core.connect();
      await app.call('tracker_list_issues', { count: 2 });
      await app.call('tracker_close_issue', { number: 7 });
      const kept = await app.call('tracker_list_issues', { count: 500 });
      await app.call('manage_servers', { action: 'add', name: 'weather', ...fixtureCommand('echo') });
      await use({ core, spill: /tooltray:\/\/spill\/([a-z0-9]+)/.exec(kept)?.[1] ?? kept.slice(0, 200) });
    },
    { scope: 'worker' },
  ],
});
