/** Client apps in the output of `list`: the mode of each, and why. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { RawClient } from '../../support/raw-client.ts';
import { CliHome, entries, eventually } from '../cli-home.ts';

test('list shows each session’s mode with the reason for auto, and which sessions have a stale list', async () => {
  await using home = new CliHome({ echo: entries.echo });
  await home.serve();
  const child = home.spawn(['stdio', '--app', 'claude-ai'], {}, []);
  const client = new RawClient(child.stdout!, child.stdin!);
  await client.initialize();
  await client.request('tools/list');

  const reason = expect.stringMatching(
    /^Listing every tool costs about \d+ tokens, 0\.\d+% of the context window of Claude Desktop\.$/,
  ) as string;
  expect((await home.json('list')).data['sessions']).toMatchObject([
    { app: 'claude-ai', mode: 'proxy', modeReason: reason, calls: 0, staleList: false, note: '' },
  ]);
  const lines = async (): Promise<string> => (await home.run('list')).stdout;
  expect(await lines()).toMatch(/\n\nAPP +MODE +CALLS +REASON\nclaude-ai +proxy +0 +Listing every tool costs about /);

  home.writeConfig({ servers: { echo: entries.echo }, mode: 'search' });
  await client.notification('notifications/tools/list_changed');
  for (const message of ['one', 'two', 'three']) await client.callTool('echo', { message });
  expect(await eventually(lines, (text) => text.includes('outdated'))).toMatch(
    /\nclaude-ai +search +3 +configured\n\nClaude Desktop has an outdated tool list\. Restart the app\.\n$/,
  );
  child.kill();
  await once(child, 'close');
});

test('lists no sessions without a running core', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect((await home.json('list')).data['sessions']).toEqual([]);
  expect((await home.run('list')).stdout).not.toContain('SESSION');
});
