/** Changes of lists: every real one is notified, none is lost, and nothing else is notified. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, ready, startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const changed = 'notifications/tools/list_changed';
const toggling = { servers: { bad: fixture('misbehaving', 'toggle'), other: fixture('echo') } };
const announcements = (client: SocketClient): number =>
  client.notifications.filter(({ method }) => method === changed).length;
const extraListed = async (client: SocketClient): Promise<boolean> => (await client.toolNames()).includes('bad_extra');

afterEach(() => vi.useRealTimers());

test('notifies of each real change, when the list is already updated', async () => {
  await using core = await startCore(toggling);
  const client = await core.open();
  expect(await extraListed(client)).toBe(false);
  for (const times of [1, 2, 3]) {
    await client.callTool('bad_toggle');
    await until(() => announcements(client) === times);
    expect(await extraListed(client)).toBe(times % 2 === 1);
  }
});

test('a storm of changes ends with the correct list and few notifications', async () => {
  await using core = await startCore(toggling);
  const client = await core.open();
  expect(await extraListed(client)).toBe(false);
  expect(await client.say('bad_storm', { times: 501 })).toBe('extra listed: true');
  await until(() => announcements(client) > 0);
  await until(() => core.server('bad').listing.tools.some(({ name }) => name === 'extra'));
  expect(await extraListed(client)).toBe(true);
  expect(announcements(client)).toBeLessThan(10);
});

test('keeps a change that happens while the list is being read', async () => {
  await using core = await startCore(toggling);
  const client = await core.open();
  await client.toolNames();
  let listed = false;
  for (let round = 0; round < 15; round++) {
    const said = await client.say('bad_toggle');
    listed = said.endsWith('true');
    await new Promise((resolve) => setTimeout(resolve, round * 20));
  }
  await until(() => core.server('bad').listing.tools.some(({ name }) => name === 'extra') === listed);
  expect(await extraListed(client)).toBe(listed);
});

test('sends no notification if the list has not changed', async () => {
  await using core = await startCore(toggling);
  const client = await core.open();
  await client.toolNames();
  let read = 0;
  core.server('bad').changed.on(() => (read += 1));
  await client.callTool('bad_pretend', { times: 50 });
  await until(() => read > 0);
  await client.callTool('bad_toggle');
  await until(() => announcements(client) > 0);
  expect(announcements(client)).toBe(1);
});

test('sends no list_changed in a mode that lists no server tools, but finds the new tool', async () => {
  await using core = await startCore(toggling);
  const [searching, listing] = [await core.open({}, { mode: 'search' }), await core.open()];
  await Promise.all([searching.toolNames(), listing.toolNames()]);
  await listing.callTool('bad_toggle');
  await listing.notification(changed);
  expect(await searching.say('search_tools', { query: 'extra' })).toContain('bad_extra');
  expect(announcements(searching)).toBe(0);
});

test("notifies a session on the endpoint of one server only of that server's changes", async () => {
  await using core = await startCore(toggling);
  const events: string[] = [];
  const listenAt = async (server: string): Promise<HttpClient> => {
    const client = new HttpClient(`${core.url}/server/${server}`);
    await client.initialize();
    await client.exchange('tools/list');
    void client.listen(({ method }) => events.push(`${server} ${method}`));
    await until(() => events.includes(`${server} listening`));
    return client;
  };
  const bad = await listenAt('bad');
  const other = await listenAt('other');
  await bad.exchange('tools/call', { name: 'toggle', arguments: {} });
  await until(() => events.includes(`bad ${changed}`));
  await other.exchange('ping');
  expect(events).toEqual(['bad listening', 'other listening', `bad ${changed}`]);
});

test('notifies a stateless client over its subscription', async () => {
  await using core = await startCore(toggling);
  const line = await core.connect();
  const client = new ModernClient(line);
  await client.once('tools/list');
  void client.once('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await line.notification('notifications/subscriptions/acknowledged');
  await client.call('bad_toggle');
  const told = await line.notification(changed);
  expect(told.params?.['_meta']).toEqual({ 'io.modelcontextprotocol/subscriptionId': 2 });
});

test.each(['', '/server/bad', '/mode/proxy'])(
  'at %j notifies a stateless stream of list changes that no request preceded',
  async (path) => {
    await using core = await startCore(toggling);
    const client = new ModernClient(new HttpClient(`${core.url}${path}`, true));
    const listening = new HttpClient(`${core.url}${path}`, true);
    const told = new ModernClient(listening).once('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    void told.catch(() => undefined);
    await until(() => listening.notifications.length === 1);
    await client.call(path === '/server/bad' ? 'toggle' : 'bad_toggle');
    await until(() => listening.notifications.some(({ method }) => method === changed));
  },
);

test('notifies a stateless stream over the socket of list changes that no request preceded', async () => {
  await using core = await startCore(toggling);
  const line = await core.connect();
  const client = new ModernClient(line);
  void client.once('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await line.notification('notifications/subscriptions/acknowledged');
  await client.call('bad_toggle');
  await line.notification(changed);
});

test('reads the list of a server that sends no list_changed every five minutes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const quiet = { command: process.execPath, args: [`${import.meta.dirname}/servers/quiet-toggle.ts`] };
  await using core = await startCore({ servers: { quiet, other: fixture('echo') } });
  const client = await core.open();
  expect(await client.toolNames()).toEqual(['quiet_toggle', 'other_echo']);
  await client.callTool('quiet_toggle');
  vi.advanceTimersByTime(5 * 60_000);
  await client.notification(changed);
  expect(await client.toolNames()).toEqual(['quiet_extra', 'quiet_toggle', 'other_echo']);
});

test('lists cached tools at once while the servers start in the background', async () => {
  using home = new TemporaryFolder();
  const gate = join(home.path, 'gate');
  const gated = { command: process.execPath, args: [`${import.meta.dirname}/servers/gated.ts`, gate] };
  const config = { servers: { one: gated, other: gated } };
  writeFileSync(gate, '');
  const first = await startCore(config, { home: home.path });
  const before = await (await first.open()).toolNames();
  await first[Symbol.asyncDispose]();
  rmSync(gate);
  await using core = await startCore(config, { home: home.path, settled: false });
  const client = await core.open();
  expect(await client.toolNames()).toEqual(before);
  expect(before).toEqual(['one_work', 'other_work']);
  expect(core.host.core.servers.manager.all.map(({ state }) => state.kind)).toEqual(['connecting', 'connecting']);
  writeFileSync(gate, '');
  expect(await client.say('other_work')).toBe('worked');
  await ready(core.server('one'));
  await client.request('ping');
  expect(announcements(client)).toBe(0);
});

test('a stream that is rejected for one resource leaves no subscription to the others', async () => {
  await using core = await startCore({ servers: { library: fixture('library', 'library') } });
  const app = new ModernClient(await core.connect({ mode: 'proxy' }));
  const uri = 'data://library';
  const listen = (uris: readonly string[]): Promise<unknown> =>
    app.once('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
  expect(await listen([uri, 'nothing://here'])).toMatchObject({ error: { code: -32602 } });
  expect([...core.server('library').subscribers(uri)]).toEqual([]);
});

class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tooltray-warm-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
