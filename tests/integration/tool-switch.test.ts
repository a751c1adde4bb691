/** Tools that the user disables are gone for every client app over every transport, while the server keeps running. */
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { fixture, startCore } from '../support/start-core.ts';

const victim = fixture('misbehaving', 'well-behaved');
const other = fixture('misbehaving', 'well-behaved');

test('a disabled tool leaves the list at once, its server keeps running, and a call returns the reason', async () => {
  await using core = await startCore({ servers: { one: victim, two: other } });
  const client = await core.open();
  await client.toolNames();
  const pid = await client.say('one_pid');
  await core.write({ servers: { one: { ...victim, disabledTools: ['echo'] }, two: other } });
  await client.notification('notifications/tools/list_changed');
  expect(await client.toolNames()).toEqual(['one_pid', 'two_echo', 'two_pid']);
  expect(await client.say('one_pid')).toBe(pid);
  const refused = {
    isError: true,
    content: [{ text: expect.stringContaining('one:echo was disabled by the user') as string }],
  };
  expect(await client.callTool('call_tool', { name: 'one:echo', arguments: {} })).toMatchObject(refused);
});

test('the endpoint of the server neither lists nor calls it', async () => {
  await using core = await startCore({ servers: { one: { ...victim, enabledTools: ['pid'] } } });
  const client = new HttpClient(`${core.url}/server/one`);
  await client.initialize();
  const listed = await client.exchange('tools/list');
  const refused = await client.exchange('tools/call', { name: 'echo', arguments: {} });
  expect([listed.message.result?.['tools'], refused.line]).toEqual([
    [expect.objectContaining({ name: 'pid' })],
    expect.stringContaining('one:echo was disabled by the user'),
  ]);
});
