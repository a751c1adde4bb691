/** Every call of a model is recorded, whatever its way and outcome. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActivityEntry } from '../../src-main/core/activity/call-record.ts';
import { callTexts } from '../../src-main/rpc/handlers/call-payloads.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({ servers: { a: fixture('compat', 'A'), b: fixture('compat', 'B') }, mode: 'search' });
});
afterAll(() => core[Symbol.asyncDispose]());

/** The records that come with `calls`, oldest first. */
async function recordsOf(count: number, calls: () => Promise<unknown>): Promise<ActivityEntry[]> {
  const { log: activity } = core.host.core.activity;
  const [last] = await activity.ask('recentCalls', 1);
  const fresh = async (): Promise<ActivityEntry[]> =>
    (await activity.ask('recentCalls', 50)).filter(({ id }) => id > (last?.id ?? 0));
  await calls();
  await until(async () => (await fresh()).length >= count);
  return (await fresh()).reverse();
}

test('records direct calls and calls through a helper, with mode and app', async () => {
  const client = await core.open({}, { app: 'Cursor' });
  const proxy = await core.open({}, { mode: 'proxy' });
  const records = await recordsOf(3, async () => {
    await client.callTool('a_echo_tool', { message: 'x' });
    await client.callTool('call_tool', { name: 'b:echo_tool', arguments: { message: 'y' } });
    await proxy.callTool('count_tool', { items: [] }, {}).catch(() => undefined);
  });
  const usual = { outcome: 'ok', tool: 'echo_tool', bytes: { request: 15 } };
  expect(records).toMatchObject([
    { ...usual, app: 'Cursor', mode: 'search', server: 'a' },
    { ...usual, app: 'Cursor', mode: 'search', server: 'b', via: 'call_tool' },
    {
      app: 'raw-client',
      mode: 'proxy',
      server: '',
      tool: 'count_tool',
      outcome: 'failed',
      error: { code: 'tool_ambiguous' },
    },
  ]);
  expect(records[0]?.via).toBeUndefined();
  expect(records[0]?.bytes).toEqual({ ...records[1]?.bytes, request: 15 });
});

test('records each failure with its outcome', async () => {
  const client = await core.open();
  const records = await recordsOf(3, async () => {
    await client.callTool('a_count_tool', { items: ['uncountable'] });
    await client.callTool('nope').catch(() => undefined);
    await client.callTool('call_tool', { name: 'nope' });
  });
  expect(records).toMatchObject([
    { server: 'a', tool: 'count_tool', outcome: 'tool_error' },
    { server: '', tool: 'nope', outcome: 'failed', error: { code: 'tool_not_found' } },
    { server: '', tool: 'nope', outcome: 'failed', error: { code: 'tool_not_found' }, via: 'call_tool' },
  ]);
});

test('records the text of a failed call that the app got, and counts its tokens', async () => {
  const client = await core.open();
  const answers: unknown[] = [];
  const records = await recordsOf(3, async () => {
    answers.push(await client.callTool('call_tool', { name: 'a:count_tool', arguments: { items: 'none' } }));
    answers.push(await client.callTool('call_tool', { name: 'nope' }));
    await client.callTool('nope').catch(() => undefined);
  });
  const newest = (): Promise<readonly ActivityEntry[]> => core.host.core.activity.log.ask('recentCalls', 3);
  await until(async () => (await newest()).every(({ tokens }) => tokens.modelResult !== undefined));
  const told = await Promise.all(
    records.map((record) => callTexts(core.host.core, record, ['serverResult', 'modelResult'])),
  );
  const given = told.map((texts) => ('text' in texts.modelResult ? texts.modelResult.text : ''));
  expect(given.slice(0, 2).map((text) => JSON.parse(text) as unknown)).toEqual(answers);
  expect(told.map(({ serverResult }) => serverResult)).toEqual([
    { none: 'nothing' },
    { none: 'nothing' },
    { none: 'nothing' },
  ]);
  expect(given[2]).toContain('nope');
  const counted = await newest();
  expect(counted.every(({ tokens, bytes }) => (tokens.modelResult ?? 0) > 5 && bytes.modelResult > 20)).toBe(true);
});

test("records calls over HTTP of both protocols, and those to one server's endpoint", async () => {
  const [legacy, modern, single] = [
    new HttpClient(core.url),
    new HttpClient(core.url, true),
    new HttpClient(`${core.url}/server/b`),
  ];
  await Promise.all([legacy.initialize(), single.initialize()]);
  const call = { name: 'a_echo_tool', arguments: {} };
  const records = await recordsOf(3, async () => {
    await legacy.exchange('tools/call', call);
    await new ModernClient(modern, {}, 'modern-app').once('tools/call', call);
    await single.exchange('tools/call', { ...call, name: 'echo_tool' });
  });
  expect(records).toMatchObject([
    { app: 'http-client', mode: 'search', server: 'a', outcome: 'ok' },
    { app: 'modern-app', mode: 'search', server: 'a', outcome: 'ok' },
    { app: 'http-client', mode: 'server', server: 'b', tool: 'echo_tool', outcome: 'ok' },
  ]);
});
