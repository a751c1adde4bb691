/**
 * One server floods its client: other clients are served, memory stays bounded, and client apps receive little of it.
 */
import { expect, test } from 'vitest';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const megabyte = 1024 * 1024;
const asksAll = { sampling: {}, elicitation: {}, roots: {} };

async function echoes(client: SocketClient, times: number): Promise<void> {
  for (let at = 0; at < times; at++) expect(await client.say('other_echo', { message: `${at}` })).toBe(`${at}`);
}

test.each(['ping', 'same-id', 'unknown', 'elicitation', 'log', 'progress', 'answers', 'text', 'open-string'])(
  'a flood of %s delays no other client, and takes little memory',
  async (mode) => {
    await using core = await startCore({ servers: { bad: fixture('flood', mode), other: fixture('echo') } });
    const [hurt, client] = [await core.open(asksAll), await core.open()];
    const before = process.memoryUsage.rss();
    void hurt.callTool('bad_flood', {}, { _meta: { progressToken: 'p' } }).catch(() => undefined);
    await echoes(client, 20);
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * megabyte);
    // Neither the user nor the app is flooded.
    expect(hurt.requests.length).toBeLessThanOrEqual(200);
    expect(hurt.notifications.length).toBeLessThan(20_000);
  },
);

test.each([
  ['text', /prints text|more than 1 MB before/],
  ['no-line-end', /more than 1 MB before/],
  ['log', /more than 1 MB before/],
])('gives up a server that sends %s without end instead of an initialize result', async (mode, why) => {
  await using core = await startCore({ servers: { bad: fixture('flood', mode, 'start'), other: fixture('echo') } });
  await until(() => core.server('bad').state.kind === 'error');
  expect(core.server('bad').state).toMatchObject({ error: { message: expect.stringMatching(why) as string } });
  await echoes(await core.open(), 5);
});
