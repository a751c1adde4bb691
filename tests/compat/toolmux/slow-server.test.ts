/** The gateway's first list does not wait for a server that starts slowly, but a call does. */
import { expect, test } from 'vitest';
import { fixture, startCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';

test('the gateway lists a starting server at once', async () => {
  const servers = { echo: fixture('compat', 'E'), slow: fixture('misbehaving', 'slow-start', '600000') };
  await using core = await startCore({ servers, mode: 'gateway' }, { settled: false });
  await until(() => core.host.core.servers.manager.find('echo')?.state.kind === 'ready');
  const client = await core.open({}, { mode: 'gateway' });
  const other = await core.open({}, { mode: 'proxy' });
  let isOtherListed = false;
  // Asked first, it waits up to ten seconds for servers that start.
  other.toolNames().then(
    () => (isOtherListed = true),
    () => undefined,
  );
  const names = await client.toolNames();
  expect(isOtherListed).toBe(false);
  expect(core.host.core.servers.manager.find('slow')?.state.kind).not.toBe('ready');
  expect(names).toEqual(expect.arrayContaining(['echo', 'slow']));
});
