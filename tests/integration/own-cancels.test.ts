/** Calls that the client cancels, or makes while Tooltray is paused, are recorded without counting as problems. */
import { expect, test } from 'vitest';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import { stateBuilders } from '../../src-main/rpc/build-state.ts';
import type { RpcMethod, RpcMethods } from '../../src-main/rpc/contract.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

function ask<M extends RpcMethod>(
  { host }: TestCore,
  method: M,
  input: RpcMethods[M]['input'],
): Promise<RpcMethods[M]['output']> {
  return dispatchRpc(method, input, host.rpcDeps, new AbortController().signal);
}

/** The outcomes of the tool calls so far, newest first, once there are this many. */
async function outcomes(core: TestCore, count: number): Promise<readonly string[]> {
  const { log: activity } = core.host.core.activity;
  await until(async () => (await activity.ask('recentCalls', 50)).length >= count);
  return (await activity.ask('recentCalls', 50)).map(({ outcome }) => outcome);
}

/** Steps that are problems, as counted by the totals and as found by the filter. */
async function problems(core: TestCore): Promise<readonly number[]> {
  const [all, filtered] = [await ask(core, 'steps', {}), await ask(core, 'steps', { problems: true })];
  return [all.sums.problems, filtered.steps.length];
}

test('counts a call that the client cancels as no problem of its session', async () => {
  await using core = await startCore({ servers: { s: fixture('misbehaving', 'never') } });
  const client = await core.open();
  client.request('tools/call', { name: 'hang', arguments: {} }, { id: 77 }).catch(() => undefined);
  await until(() => core.host.core.activity.timeline.running.length > 0);
  client.notify('notifications/cancelled', { requestId: 77 });
  expect(await outcomes(core, 1)).toEqual(['cancelled']);
  expect(await problems(core)).toEqual([0, 0]);
});

test('counts a call while Tooltray is paused as no problem of its session', async () => {
  await using core = await startCore({ servers: { s: fixture('echo') } });
  const client = await core.open();
  await ask(core, 'setPaused', { paused: true });
  expect(await client.callTool('echo', { message: 'x' })).toMatchObject({ isError: true });
  expect(await outcomes(core, 1)).toEqual(['cancelled']);
  expect(await problems(core)).toEqual([0, 0]);
});

test('counts a call that was running when Tooltray was paused as no problem of its session', async () => {
  await using core = await startCore({ servers: { s: fixture('misbehaving', 'never') } });
  const client = await core.open();
  const call = client.callTool('hang', {});
  await until(() => core.host.core.activity.timeline.running.length > 0);
  await ask(core, 'setPaused', { paused: true });
  expect(await call).toMatchObject({ isError: true });
  expect(await outcomes(core, 1)).toEqual(['cancelled']);
  expect(await problems(core)).toEqual([0, 0]);
});

test('counts a tool error as a problem', async () => {
  await using core = await startCore({ servers: { s: fixture('tracker') } });
  const client = await core.open();
  expect(await client.callTool('close_issue', { number: 1 })).toMatchObject({ isError: true });
  expect(await outcomes(core, 1)).toEqual(['tool_error']);
  expect(await problems(core)).toEqual([1, 1]);
});

test('sorts a call by its start, although it ended after later ones', async () => {
  await using core = await startCore({ servers: { s: fixture('tracker') } });
  const client = await core.open();
  const began = Date.now();
  const slow = client.callTool('read_log', { delayMs: 1000 });
  // Times are in whole milliseconds.
  await until(() => core.host.core.activity.timeline.running.length > 0 && Date.now() > began + 2);
  await client.callTool('list_issues', {});
  await slow;
  expect(await outcomes(core, 2)).toEqual(['ok', 'ok']);
  const { recent } = await stateBuilders(core.host.rpcDeps).activity();
  expect(recent.map(({ tool }) => tool)).toEqual(['list_issues', 'read_log']);
});
