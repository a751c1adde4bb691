/** Chooses the connection that clients with extensions use for each server. */
import { expect, test } from 'vitest';
import { extensionSetOf } from '../../../src-main/core/servers/extension-set.ts';
import { ExtensionServers } from '../../../src-main/core/servers/extension-servers.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

const kind = extensionSetOf({ extensions: { 'io.modelcontextprotocol/ui': {} } });
if (kind === undefined) throw new Error('The kind of an app that declares an extension is known.');

async function comparedIn({ host }: TestCore): Promise<ExtensionServers> {
  const servers = new ExtensionServers(host.core.servers.manager, kind as NonNullable<typeof kind>);
  await servers.compareListings(10_000);
  return servers;
}

test('uses the shared connection unless the server lists more for the extensions', async () => {
  await using core = await startCore({ servers: { more: fixture('views', 'more', 'asks'), same: fixture('echo') } });
  const servers = await comparedIn(core);
  expect(servers.all.map(({ config }) => config.name)).toEqual(['more', 'same']);
  expect(servers.get('same')).toBe(core.server('same'));
  const own = servers.get('more');
  expect(own).not.toBe(core.server('more'));
  expect([own.listing.tools.length, core.server('more').listing.tools.length]).toEqual([4, 1]);
  // It was not called, so no process runs for it.
  expect(own.state.kind).toBe('disconnected');
  expect(own.config).toMatchObject({ lazy: true, idleTimeoutMs: 30 * 60_000 });
});

test('uses the shared connection for a server that cannot be started twice', async () => {
  await using core = await startCore({ servers: { once: fixture('views', 'once', 'asks', 'once') } });
  const servers = await comparedIn(core);
  expect(servers.get('once')).toBe(core.server('once'));
});

test('starts no process to compare listings while all servers are paused', async () => {
  await using core = await startCore({ servers: { more: fixture('views', 'more', 'asks') } });
  await core.host.core.servers.manager.setPaused(true);
  const servers = await comparedIn(core);
  expect(servers.get('more')).toBe(core.server('more'));
  expect(core.host.core.servers.processes.owned()).toEqual([]);
  await core.host.core.servers.manager.setPaused(false);
  await expect.poll(() => servers.get('more') === core.server('more')).toBe(false);
});
