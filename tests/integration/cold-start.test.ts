/** Client apps that send requests right after the start of a core get results once the servers are ready. */
import { expect, test } from 'vitest';
import { fixture, startCore } from '../support/start-core.ts';

const servers = { asker: fixture('asker'), odd: fixture('odd') };

test.each<[string, string, Record<string, unknown>, string]>([
  ['a call', 'tools/call', { name: 'asker_who', arguments: {} }, 'pid'],
  ['a call by canonical id', 'tools/call', { name: 'odd:echo_arguments', arguments: { a: 1 } }, '{\\"a\\":1}'],
  ['the reading of a resource', 'resources/read', { uri: 'asker://counter' }, 'text/plain'],
  ['a prompt', 'prompts/get', { name: 'asker_paint', arguments: { color: 'red' } }, 'Paint it red.'],
  [
    'a completion',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'asker_paint' }, argument: { name: 'color', value: 'g' } },
    'green',
  ],
  ['a subscription', 'resources/subscribe', { uri: 'asker://counter' }, '"result":{}'],
])('answers %s that is the first request', async (_what, method, params, words) => {
  await using core = await startCore({ servers }, { settled: false });
  const client = await core.open();
  const { line } = await client.exchange(method, params);
  expect(line).toContain(words);
});

test('the first list contains the tools of all servers, without a list_changed after it', async () => {
  await using core = await startCore(
    { servers: { ...servers, slow: fixture('misbehaving', 'slow-start', '700') } },
    { settled: false },
  );
  const client = await core.open();
  const names = await client.toolNames();
  expect(['asker_who', 'odd_decorated', 'slow_echo'].filter((name) => !names.includes(name))).toEqual([]);
  await client.request('ping');
  expect(client.notifications.filter(({ method }) => method === 'notifications/tools/list_changed')).toEqual([]);
});

test('rejects an unknown name and lists the servers that are not ready', async () => {
  // It never starts, and nothing here waits for it.
  const slow = fixture('misbehaving', 'silent');
  await using core = await startCore({ servers: { ...servers, slow } }, { settled: false });
  const client = await core.open();
  const message = expect.stringMatching(/"nobody_has_this".*\bslow: /) as string;
  await expect(client.callTool('nobody_has_this')).rejects.toMatchObject({ code: -32602, message });
});

test('reads an unlisted resource only from the server that its URI names', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  const unlisted = { uri: 'unlisted://thing' };
  await expect(client.request('resources/read', unlisted)).rejects.toThrow('tooltray://SERVER/unlisted://thing');
  const { contents } = await client.request('resources/read', { uri: 'tooltray://odd/unlisted://thing' });
  expect(contents).toMatchObject([{ ...unlisted, text: 'odd' }]);
});
