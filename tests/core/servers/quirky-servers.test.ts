/** Servers with the quirks of servers in the field, as processes of their own. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contextOf, say, serversHarness, toolNames } from './servers-harness.ts';

const tools = ['echo', 'tick', 'starts'];

test.each(['idsAsStrings', 'idsAsFractions'])(
  'a server that spells ids its own way (%s) is listed and called',
  async (quirk) => {
    const harness = serversHarness();
    const server = harness.server(harness.fixture('a', 'quirky', [quirk], { initTimeoutMs: 10_000 }));
    await server.ready();
    const progress: unknown[] = [];
    const context = contextOf('anna', { onProgress: (params) => progress.push(params) });
    const params = { name: 'tick', arguments: {}, _meta: { progressToken: 'theirs' } };
    await server.request('tools/call', params, context);
    expect([toolNames(server), progress]).toEqual([tools, [{ progressToken: 'theirs', progress: 1, message: 'half' }]]);
  },
);

test('lines of a JSON log on stdout are logged, and neither answered nor passed on', async () => {
  const harness = serversHarness();
  const log = `${harness.folder}/heard`;
  const server = harness.server(harness.fixture('a', 'quirky', ['logsJson', `log:${log}`]));
  const notified: string[] = [];
  server.notified.on(({ method }) => notified.push(method));
  await server.ready();
  expect(await say(server, 'echo', { message: 'hi' })).toBe('hi');
  expect(await say(server, 'starts')).toBe('1');
  expect([notified, readFileSync(log, 'utf8').includes('answer')]).toEqual([[], false]);
  expect(harness.oddities.filter((text) => text.includes('"method":"GET"'))).toHaveLength(2);
});
