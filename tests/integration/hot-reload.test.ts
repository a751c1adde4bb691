/** Edits of the config file under a running core: only changed servers restart, and client apps are notified. */
import { expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { fixture, ready, startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const victim = fixture('misbehaving', 'well-behaved');
const changed = 'notifications/tools/list_changed';

test("adds a server's tools with a list_changed, and keeps the other servers' processes", async () => {
  await using core = await startCore({ servers: { kept: victim, second: victim } });
  const client = await core.open();
  expect(await client.toolNames()).toEqual(['kept_echo', 'kept_pid', 'second_echo', 'second_pid']);
  const pid = await client.say('kept_pid');
  await core.write({ servers: { kept: victim, second: victim, added: fixture('echo') } });
  await client.notification(changed);
  await ready(core.server('added'));
  expect(await client.toolNames()).toContain('added_echo');
  expect(await client.say('added_echo', { message: 'new' })).toBe('new');
  expect(await client.say('kept_pid')).toBe(pid);
});

test('stops a removed server, removes its tools, and rejects calls to it', async () => {
  await using core = await startCore({ servers: { kept: victim, second: victim, gone: victim } });
  const client = await core.open();
  await client.toolNames();
  const [kept, gone] = [await client.say('kept_pid'), Number(await client.say('gone_pid'))];
  await core.write({ servers: { kept: victim, second: victim } });
  await client.notification(changed);
  await until(() => !isAlive(gone));
  expect(await client.toolNames()).toEqual(['kept_echo', 'kept_pid', 'second_echo', 'second_pid']);
  await expect(client.callTool('gone_echo')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('gone_echo') as string,
  });
  expect(await client.say('kept_pid')).toBe(kept);
});

test('restarts only a server whose entry changed; comments, order and description do not count', async () => {
  await using core = await startCore({ servers: { kept: victim, edited: victim } });
  const client = await core.open();
  const before = [await client.say('kept_pid'), await client.say('edited_pid')];
  const entry = (more: object): string => JSON.stringify({ ...victim, ...more });
  await core.write(
    `{ // a comment\n "servers": { "edited": ${entry({ env: { NEW: '1' } })}, "kept": ${entry({ description: 'The kept one' })} } }`,
  );
  await until(() => core.host.core.servers.manager.all[0]?.config.name === 'edited');
  await ready(core.server('edited'));
  const after = [await client.say('kept_pid'), await client.say('edited_pid')];
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test('fails a call in flight on a restarted server with an error that names the server', async () => {
  await using core = await startCore({ servers: { asker: fixture('asker'), other: fixture('echo') } });
  const client = await core.open();
  const waiting = client.callTool('asker_wait_cancel');
  await client.callTool('asker_who');
  await core.write({ servers: { asker: { ...fixture('asker'), env: { NEW: '1' } }, other: fixture('echo') } });
  const { content, isError } = await waiting;
  expect([isError, JSON.stringify(content)]).toEqual([
    true,
    expect.stringMatching(/asker: The server was stopped or restarted/),
  ]);
});

test('disabling stops a server and hides its tools, enabling restores both', async () => {
  await using core = await startCore({ servers: { victim, other: fixture('echo') } });
  const client = await core.open();
  await client.toolNames();
  const pid = Number(await client.say('victim_pid'));
  await core.write({ servers: { victim: { ...victim, enabled: false }, other: fixture('echo') } });
  await until(() => !isAlive(pid));
  expect(core.server('victim').health.level).toBe('off');
  await client.notification(changed);
  expect((await client.toolNames()).filter((name) => name.includes('victim'))).toEqual([]);
  await core.write({ servers: { victim, other: fixture('echo') } });
  await until(() => core.host.core.servers.manager.find('victim')?.state.kind === 'ready');
  expect((await client.toolNames()).some((name) => name.endsWith('victim_echo'))).toBe(true);
});

test('applies the last of many rapid edits, without an extra process', async () => {
  await using core = await startCore({ servers: { other: fixture('echo') } });
  const client = await core.open();
  const pids = new Set<number>();
  for (let round = 0; round < 6; round++) {
    await core.write({ servers: { other: fixture('echo'), victim: { ...victim, env: { ROUND: String(round) } } } });
    await core.host.core.context.config.reload();
  }
  await until(() => core.host.core.servers.manager.find('victim')?.state.kind === 'ready');
  pids.add(Number(await client.say('victim_pid')));
  expect(core.host.core.context.config.current.servers.find(({ name }) => name === 'victim')).toMatchObject({
    env: { ROUND: '5' },
  });
  await until(() => core.host.core.servers.processes.size === 2);
  expect([...pids].map(isAlive)).toEqual([true]);
});

test('applies raw and mode at once, to open sessions and new ones', async () => {
  const servers = { odd: fixture('odd') };
  await using core = await startCore({ servers });
  const client = await core.open();
  const decorated = async (): Promise<Record<string, unknown> | undefined> =>
    ((await client.request('tools/list'))['tools'] as Record<string, unknown>[]).find(
      ({ name }) => name === 'decorated',
    );
  expect(await decorated()).not.toHaveProperty('icons');
  await core.write({ servers, raw: true });
  await until(() => core.host.core.context.config.current.raw);
  expect(await decorated()).toHaveProperty('icons');
  await core.write({ servers, raw: true, mode: 'search' });
  await until(() => core.host.core.context.config.current.mode === 'search');
  for (const session of [client, await core.open()]) {
    expect((await session.toolNames()).sort()).toEqual(['call_tool', 'read_resource', 'search_tools']);
  }
});
