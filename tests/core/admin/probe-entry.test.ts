/** Connection tests of servers that sleep, hang, crash or fail. */
import { expect, test } from 'vitest';
import { type WakePolicy, testServer } from '../../../src-main/core/admin/probe-entry.ts';
import { serversHarness } from '../servers/servers-harness.ts';

test('wakes a sleeping server for a test, but not for a look', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('e', 'echo'));
  expect(await testServer(server, 'leave')).toMatchObject({ ok: true, status: 'healthy', asleep: true });
  expect(harness.pids('e')).toEqual([]);
  const trial = await testServer(server, 'wake');
  expect(trial).toEqual({ name: 'e', ok: true, status: 'healthy', tools: server.listing.tools.length });
  expect(harness.pids('e')).toHaveLength(1);
});

test.each<WakePolicy>(['leave', 'wake', 'retry'])(
  'reports a timeout for a ready server that stopped responding (%s)',
  async (rousing) => {
    const harness = serversHarness();
    const server = harness.server(harness.scripted('s'));
    await server.start();
    const [pid] = harness.pids('s');
    process.kill(Number(pid), 'SIGSTOP');
    const trial = await testServer(server, rousing, 200);
    process.kill(Number(pid), 'SIGCONT');
    expect(trial).toEqual({ name: 's', ok: false, status: 'timeout', tools: 0, error: 'No response within 0.2 s.' });
  },
);

test('reports a timeout for a server that never starts, and the error of one that fails to start', async () => {
  const harness = serversHarness();
  const hanging = harness.server(harness.fixture('h', 'misbehaving', ['silent']));
  expect(await testServer(hanging, 'wake', 200)).toMatchObject({ ok: false, status: 'timeout' });
  const crashing = harness.server(harness.fixture('c', 'misbehaving', ['crash-at-start']));
  expect(await testServer(crashing, 'wake')).toMatchObject({ ok: false, status: 'error' });
  const looked = await testServer(crashing, 'leave');
  expect(looked).toMatchObject({ ok: false, status: 'error', error: expect.stringContaining('c') as string });
});

test('reports a server without tools as healthy', async () => {
  const harness = serversHarness();
  const refusal = { error: { code: -32601, message: 'Method not found' } };
  const server = harness.server(harness.scripted('s', { capabilities: {}, answers: { 'tools/list': refusal } }));
  expect(await testServer(server, 'wake')).toMatchObject({ ok: true, tools: 0 });
});
