/** Changes of lists: every real one is announced and none is lost, and what is no change is not announced. */
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

test('each real change is announced, and the list is the new one by then', async () => {
  await using core = await startCore(toggling);
  const client = await core.open();
  expect(await extraListed(client)).toBe(false);
  for (const times of [1, 2, 3]) {
    await client.callTool('bad_toggle');
    await until(() => announcements(client) === times);
    expect(await extraListed(client)).toBe(times % 2 === 1);
  }
});

test('after a storm of changes the list is what it was left at, and there are few announcements', async () => {
  await using core = await startCore(toggling);
  const client = await core.open();
  expect(await extraListed(client)).toBe(false);
  expect(await client.say('bad_storm', { times: 501 })).toBe('extra listed: true');
  await until(() => announcements(client) > 0);
  await until(() => core.server('bad').listing.tools.some(({ name }) => name === 'extra'));
  expect(await extraListed(client)).toBe(true);
  expect(announcements(client)).toBeLessThan(10);
});

test('a change that falls into the reading of the list before it is not lost', async () => {
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

test('announcements of changes that are none reach nobody', async () => {
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

test('a session in a mode that lists no tools of servers is not told of their changes, and finds the new tool', async () => {
  await using core = await startCore(toggling);
  const [searching, listing] = [await core.open({}, { mode: 'search' }), await core.open()];
  await Promise.all([searching.toolNames(), listing.toolNames()]);
  await listing.callTool('bad_toggle');
  await listing.notification(changed);
  expect(await searching.say('search_tools', { query: 'extra' })).toContain('bad_extra');
  expect(announcements(searching)).toBe(0);
});

test('a session on the endpoint of one server is told of the changes of that server only', async () => {
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

test('a client of 2026-07-28 is told over its subscription', async () => {
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
  'at %j a stream of 2026-07-28 is told of changes of lists that nobody has asked this core for',
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

test('over the socket, too, a stream of 2026-07-28 is told of changes of lists that nobody has asked for', async () => {
  await using core = await startCore(toggling);
  const line = await core.connect();
  const client = new ModernClient(line);
  void client.once('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await line.notification('notifications/subscriptions/acknowledged');
  await client.call('bad_toggle');
  await line.notification(changed);
});

test('a server that announces no changes is read again every five minutes', async () => {
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

test('with a warm cache the tools of the last time are listed at once, while the servers start behind', async () => {
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
  expect(core.host.core.servers.all.map(({ state }) => state.kind)).toEqual(['connecting', 'connecting']);
  writeFileSync(gate, '');
  expect(await client.say('other_work')).toBe('worked');
  await ready(core.server('one'));
  await client.request('ping');
  expect(announcements(client)).toBe(0);
});

test('a stream that is refused for one resource leaves the server nothing to tell of the others', async () => {
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
