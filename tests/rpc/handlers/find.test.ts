/** The dashboard's search: a few matches of each kind for a few words. */
import { expect, onTestFinished, test } from 'vitest';
import type { StepRecord } from '../../../src-main/core/activity/steps/step.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { ask } from '../dashboard-client.ts';

const start2023 = 1_700_000_000_000;

interface Found {
  readonly tools: readonly { readonly server: string; readonly tool: string; readonly description: string }[];
  readonly sessions: readonly { readonly id: string; readonly app: string }[];
  readonly calls: readonly { readonly tool: string; readonly snippet?: { readonly match: string } }[];
  readonly spills: readonly { readonly id: string; readonly tool: string }[];
}

async function find(core: TestCore, text: string): Promise<Found> {
  return (await ask(core, 'find', { text })) as unknown as Found;
}

async function start(): Promise<TestCore> {
  const servers = { echo: fixture('echo'), tracker: fixture('tracker'), asker: fixture('asker') };
  const core = await startCore({ servers, results: { threshold: 2000 } }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

test('finds tools by what they do, and by a part of their name', async () => {
  const core = await start();
  const { tools } = await find(core, 'open issues of the tracker');
  expect(tools[0]).toMatchObject({ server: 'tracker', tool: 'list_issues' });
  expect(tools[0]?.description).not.toBe('');
  expect((await find(core, 'ask_f')).tools[0]).toMatchObject({ server: 'asker', tool: 'ask_form' });
  expect((await find(core, 'ISS tra')).tools.map(({ tool }) => tool)).toContain('list_issues');
});

test('returns a few of each kind, and none twice', async () => {
  const core = await start();
  const { tools } = await find(core, 'e');
  expect(tools).toHaveLength(8);
  expect(new Set(tools.map(({ server, tool }) => `${server}:${tool}`)).size).toBe(8);
});

test('finds sessions and spills by app, server and tool, and nothing for an unknown word', async () => {
  const core = await start();
  const client = await core.open();
  await client.callTool('tracker_list_issues', { count: 200 });
  const byServer = await find(core, 'tracker list');
  expect(byServer.spills).toMatchObject([{ server: 'tracker', tool: 'list_issues' }]);
  expect(byServer.sessions).toEqual([]);
  const [app = ''] = core.host.core.clients.sessions.all.map((session) => session.app);
  const { sessions, spills } = await find(core, app.toUpperCase());
  expect(sessions).toMatchObject([{ app }]);
  expect(spills).toHaveLength(1);
  expect(await find(core, 'nothing that is anywhere zzz')).toMatchObject({ sessions: [], calls: [], spills: [] });
  expect(await find(core, '  ')).toEqual({ tools: [], sessions: [], calls: [], spills: [] });
});

test('finds calls and spills by what their payloads contain', async () => {
  const core = await start();
  const client = await core.open();
  await client.callTool('tracker_list_issues', { count: 200 });
  await client.callTool('echo_echo', { message: 'a xylophone' });
  expect((await find(core, 'xylophone')).calls).toMatchObject([{ tool: 'echo', snippet: { match: 'xylophone' } }]);
  const { calls, spills } = await find(core, '200');
  expect(calls.map(({ tool }) => tool)).toContain('list_issues');
  expect(spills).toMatchObject([{ tool: 'list_issues' }]);
});

test('finds a spill behind any number of newer calls that match and were not spilled', async () => {
  const core = await start();
  const client = await core.open();
  await client.callTool('tracker_list_issues', { count: 200 });
  for (let call = 0; call < 60; call++) await client.callTool('echo_echo', { message: `200 ${call}` });
  const { calls, spills } = await find(core, '200');
  expect(calls.map(({ tool }) => tool)).toEqual(Array.from({ length: 5 }, () => 'echo'));
  expect(spills).toMatchObject([{ tool: 'list_issues' }]);
});

test('finds a session behind any number of newer ones', async () => {
  const core = await start();
  const step = (n: number, app: string): StepRecord => ({
    id: (start2023 + n) * 1000,
    startedAt: start2023 + n,
    sessionId: `old-${n}`,
    app,
    mode: 'proxy',
    kind: 'list',
    name: 'tools/list',
    what: '',
    durationMs: 1,
    requestBytes: 0,
    modelResultBytes: 0,
    calls: 0,
    outcome: 'ok',
  });
  const steps = [step(0, 'zed'), ...Array.from({ length: 150 }, (_one, n) => step(n + 1, 'cursor'))];
  for (const one of steps) core.host.core.activity.log.post({ kind: 'step', step: one });
  expect(await find(core, 'zed')).toMatchObject({ sessions: [{ id: 'old-0', app: 'zed' }] });
  expect((await find(core, 'cursor')).sessions.map(({ id }) => id)).toEqual(
    [150, 149, 148, 147, 146].map((n) => `old-${n}`),
  );
});
