/** Whether a server answers, by what it does: asleep, silent, gone, broken. */
import { expect, test } from 'vitest';
import { type WakePolicy, tryServer } from '../../../src-main/core/admin/probe-entry.ts';
import { serversHarness } from '../servers/servers-harness.ts';

test('a server that sleeps is woken for a test, and left alone for a look', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('e', 'echo'));
  expect(await tryServer(server, 'leave')).toMatchObject({ ok: true, status: 'healthy', asleep: true });
  expect(harness.pids('e')).toEqual([]);
  const trial = await tryServer(server, 'wake');
  expect(trial).toEqual({ name: 'e', ok: true, status: 'healthy', tools: server.listing.tools.length });
  expect(harness.pids('e')).toHaveLength(1);
});

test.each<WakePolicy>(['leave', 'wake', 'retry'])(
  'a server that was ready and is silent now is late (%s)',
  async (rousing) => {
    const harness = serversHarness();
    const server = harness.server(harness.scripted('s'));
    await server.start();
    const [pid] = harness.pids('s');
    process.kill(Number(pid), 'SIGSTOP');
    const trial = await tryServer(server, rousing, 200);
    process.kill(Number(pid), 'SIGCONT');
    expect(trial).toEqual({ name: 's', ok: false, status: 'timeout', tools: 0, error: 'No answer within 0.2 s.' });
  },
);

test('a server that never comes up is late, one that cannot start says why', async () => {
  const harness = serversHarness();
  const hanging = harness.server(harness.fixture('h', 'misbehaving', ['silent']));
  expect(await tryServer(hanging, 'wake', 200)).toMatchObject({ ok: false, status: 'timeout' });
  const crashing = harness.server(harness.fixture('c', 'misbehaving', ['crash-at-start']));
  expect(await tryServer(crashing, 'wake')).toMatchObject({ ok: false, status: 'error' });
  const looked = await tryServer(crashing, 'leave');
  expect(looked).toMatchObject({ ok: false, status: 'error', error: expect.stringContaining('c') as string });
});

test('a server without tools that says so is one that answers', async () => {
  const harness = serversHarness();
  const refusal = { error: { code: -32601, message: 'Method not found' } };
  const server = harness.server(harness.scripted('s', { capabilities: {}, answers: { 'tools/list': refusal } }));
  expect(await tryServer(server, 'wake')).toMatchObject({ ok: true, tools: 0 });
});
