/** ListingTracker keeps the listing current, reports changes only, and caches it for the next start. */
import { expect, onTestFinished, test } from 'vitest';
import type { Handshake } from '../../../src-main/core/servers/handshake.ts';
import { ListingTracker } from '../../../src-main/core/servers/listing-tracker.ts';
import { type Fetched, ListingRefresher } from '../../../src-main/core/servers/listing-refresher.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import {
  containing,
  failure,
  matching,
  say,
  serversHarness,
  type ServersHarness,
  toolNames,
} from './servers-harness.ts';
import { until } from '../../support/until.ts';
import type { Script } from './scripted-server.ts';

interface Watched {
  readonly harness: ServersHarness;
  readonly server: ManagedServer;
  /** How often a changed listing was reported. */
  readonly changes: () => number;
  /** How often the tools were listed. */
  readonly listings: () => Promise<number>;
}

async function watched(script: Script = {}): Promise<Watched> {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', script));
  let changes = 0;
  server.listingChanged.on(() => changes++);
  await server.ready();
  const listings = async (): Promise<number> => Number(await say(server, 'listings'));
  return { harness, server, changes: () => changes, listings };
}

/** Waits until a debounced refresh has completed. */
async function quiet({ listings }: Watched): Promise<void> {
  for (let before = -1, now = await listings(); now !== before; now = await listings()) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

test('reads and reports an announced change', async () => {
  const one = await watched();
  await say(one.server, 'set_tools', { tools: ['new'] });
  await until(() => toolNames(one.server).includes('new'));
  expect([one.changes(), await one.listings()]).toEqual([2, 2]);
});

test('reads few times and ends with the right listing in a storm of announcements', async () => {
  const one = await watched();
  const begun = performance.now();
  for (let round = 0; round < 5; round++) {
    await say(one.server, 'set_tools', { tools: [`new ${round}`], times: 200 });
  }
  await until(() => toolNames(one.server).at(-1) === 'new 4');
  await quiet(one);
  // A fetch waits for a pause in notifications, of which there are more on a slow computer.
  const most = 4 + Math.floor((performance.now() - begun) / 1000);
  expect(toolNames(one.server).at(-1)).toBe('new 4');
  expect(await one.listings()).toBeLessThanOrEqual(most);
  expect(one.changes()).toBeLessThanOrEqual(most);
});

test('reports nothing for announcements without a change', async () => {
  const one = await watched();
  await say(one.server, 'set_tools', { tools: [], times: 100 });
  await expect.poll(one.listings).toBeGreaterThan(1);
  await quiet(one);
  expect([one.changes(), (await one.listings()) < 5]).toEqual([1, true]);
});

test('does not lose a change that happens while the lists are read', async () => {
  const one = await watched({ changesWhileListed: true });
  await until(() => toolNames(one.server).includes('late'));
  expect([one.changes(), await one.listings()]).toEqual([2, 2]);
});

test('ends with the right listing after announcements with and without a change', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('t', 'misbehaving', ['toggle']));
  let changes = 0;
  await server.ready();
  server.listingChanged.on(() => changes++);
  await say(server, 'pretend', { times: 300 });
  await say(server, 'storm', { times: 301 });
  await until(() => toolNames(server).includes('extra'));
  expect(changes).toBe(1);
});

test.each([
  ['endless-cursor', 1000, 'tools/list does not end; the list was truncated after 1000 entries.'],
  ['repeat-cursor', 2, 'tools/list repeats the cursor "again"; the list was truncated after 2 entries.'],
  ['list-error', 0, 'tools/list failed: The list is lost.'],
  ['not-a-list', 0, 'tools/list returned no list.'],
])('%s: is ready and reports the problem in its health', async (mode, tools, problem) => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('m', 'misbehaving', [mode]));
  await server.ready();
  expect([server.state.kind, server.listing.tools.length]).toEqual(['ready', tools]);
  expect(server.health).toMatchObject({ level: 'attention', detail: problem });
});

test('reports tools/list without a response as a start error, logs it and retries', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('mute', { silentTo: ['tools/list'] }, { initTimeoutMs: 3000 }));
  await server.start();
  expect(server.state).toMatchObject({
    kind: 'error',
    failures: 1,
    error: { code: 'server_timeout', message: 'mute: No response to tools/list within 3 s.' },
  });
  expect(server.health).toMatchObject({ level: 'error', detail: containing('tools/list') });
  expect(harness.oddities).toContainEqual(containing('No response to tools/list within 3 s'));
  await until(() => server.state.kind === 'error' && server.state.failures === 2);
  expect(harness.pids('mute')).toHaveLength(2);
});

test('leaves out entries without names and reports them', async () => {
  const { server } = await watched({ tools: [{ description: 'nameless' }, 'named'] });
  expect(toolNames(server).at(-1)).toBe('named');
  expect(server.health.detail).toContain('without name');
});

test('lists ten thousand tools', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('m', 'misbehaving', ['many', '10000']));
  await server.ready();
  expect(server.listing.tools).toHaveLength(10_000);
});

test('caches the listing of a stopped server, under its own entry only', async () => {
  const { harness, server } = await watched({ tools: ['kept'] });
  await server.stop();
  const same = harness.server(harness.scripted('s', { tools: ['kept'] }));
  const other = harness.server(harness.scripted('s', { tools: ['other'] }));
  await Promise.all([same.restore(), other.restore()]);
  expect([toolNames(same).at(-1), other.listing.tools.length, other.listedAt]).toEqual(['kept', 0, undefined]);
});

test('keeps the listing after a crash until it is read again, and does not report an equal one', async () => {
  const one = await watched({ tools: ['kept'] });
  await failure(say(one.server, 'exit'));
  expect([one.server.state.kind, toolNames(one.server).at(-1)]).toEqual(['error', 'kept']);
  await until(() => one.server.state.kind === 'ready');
  expect([one.changes(), toolNames(one.server).at(-1)]).toEqual([1, 'kept']);
});

interface Kept {
  readonly keeper: ListingTracker;
  readonly call: (name: string, args?: object) => Promise<unknown>;
  /** Errors that made the connection unusable. */
  readonly failures: readonly Error[];
}

/**
 * A tracker with its own connection that polls every 200 ms if changes are not announced. `isShort`: the silence is
 * slightly longer than this server needs to respond on this computer under its current load.
 */
async function keeper(script: Script, isShort = false): Promise<Kept> {
  const harness = serversHarness();
  const failures: Error[] = [];
  const connection = await harness.connection(harness.scripted('s', script));
  const call = (name: string, args = {}): Promise<unknown> =>
    connection.request('tools/call', { name, arguments: args });
  const began = performance.now();
  await call('echo');
  const silenceMs = isShort ? 300 + Math.ceil(20 * (performance.now() - began)) : 60_000;
  const kept = new ListingTracker({
    hash: 'h',
    cache: harness.deps.cache,
    pins: undefined,
    now: Date.now,
    silenceMs,
    pollMs: 200,
    onWarning: () => undefined,
    onStep: () => undefined,
    onListed: () => undefined,
    onFailed: (_connection, error) => failures.push(error),
  });
  onTestFinished(async () => {
    kept.detach();
    await kept.saved();
  });
  kept.attach(connection, connection.handshake as Handshake);
  await kept.currentRefresh();
  return { keeper: kept, call, failures };
}

test('polls a server that does not announce changes', async () => {
  const { keeper: kept, call } = await keeper({ capabilities: { tools: {} } });
  await call('set_tools', { tools: ['found'] });
  await until(() => kept.listing.tools.some((tool) => tool['name'] === 'found'));
  expect(kept.listing.tools.at(-1)?.['name']).toBe('found');
});

test('does not poll a server that announces changes', async () => {
  const { keeper: kept, call } = await keeper({ capabilities: { tools: { listChanged: true } } });
  await call('set_tools', { tools: ['unheard'] });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(kept.listing.tools.some((tool) => tool['name'] === 'unheard')).toBe(false);
});

test('keeps the tools if another list gets no response', async () => {
  const script = { capabilities: { tools: {}, prompts: {} }, silentTo: ['prompts/list'] };
  const { keeper: kept, failures } = await keeper(script, true);
  expect(kept.listing.tools.map(({ name }) => name)).toContain('echo');
  expect([kept.problems, failures]).toEqual([
    [matching(/^prompts\/list failed: No response to prompts\/list within [\d.]+ s\.$/)],
    [],
  ]);
});

test('keeps the tools and the connection if a server is too busy to list its tools again', async () => {
  const { keeper: kept, call, failures } = await keeper({ capabilities: { tools: {} } }, true);
  await call('mute', { method: 'tools/list' });
  await until(() => kept.problems.length > 0);
  expect([kept.problems, failures]).toEqual([
    [matching(/^tools\/list failed: No response to tools\/list within [\d.]+ s\.$/)],
    [],
  ]);
  expect(kept.listing.tools.map(({ name }) => name)).toContain('echo');
});

test('reads again after the current fetch, in one fetch for all callers', async () => {
  const ended: (() => void)[] = [];
  const refresher = new ListingRefresher({
    fetch: () => new Promise<Fetched>((resolve) => ended.push(() => resolve({ costMs: 0, changed: false }))),
  });
  const first = refresher.refresh();
  const second = refresher.refreshAfterCurrent();
  const joined = refresher.refresh();
  ended[0]?.();
  await first;
  await until(() => ended.length === 2);
  ended[1]?.();
  await Promise.all([second, joined]);
  expect(ended).toHaveLength(2);
});

test('reads the lists of a new connection despite an announcement on the one that ended', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', {}));
  await server.ready();
  for (let round = 0; round < 5; round++) {
    // The notification is in transit when the connection is closed.
    void say(server, 'set_tools', { tools: ['new'] }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, round * 2));
    await server.sleep();
    await server.ready();
    await until(() => server.state.kind === 'ready');
  }
  expect(server.state.kind).toBe('ready');
});
