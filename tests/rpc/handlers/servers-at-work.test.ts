/** Servers in the dashboard: stopped and restarted, switched several at a time, measured, found by their tools, with their logs. */
import { expect, test } from 'vitest';
import { fixture, startCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';
import { ask } from '../dashboard-client.ts';

interface LogAnswer {
  readonly lines: readonly { readonly from: string; readonly text: string; readonly level?: string }[];
  readonly mark: string;
}

test('a stopped server starts with the next call, and a restart is a new process with a log entry', async () => {
  await using core = await startCore({ servers: { echo: fixture('echo') } });
  const client = await core.open();
  await ask(core, 'stopServer', { server: 'echo' });
  expect(core.server('echo').health).toMatchObject({ summary: 'Idle', detail: 'Starts on the next call.' });
  expect(await ask(core, 'serverUsage')).toEqual({ servers: [] });
  await client.callTool('echo', { message: 'awake' });
  expect(core.server('echo').state.kind).toBe('ready');
  expect(await ask(core, 'restart', { server: 'echo' })).toMatchObject({ state: 'ready' });
  expect(core.server('echo').restarts).toBe(1);
  const { lines, mark } = (await ask(core, 'log', { server: 'echo' })) as unknown as LogAnswer;
  const ours = lines.filter(({ from }) => from === 'tooltray').map(({ text }) => text.replace(/\d+/g, 'N'));
  expect(ours.filter((text) => text === 'Started, process N.')).toHaveLength(3);
  expect(ours).toContain('Stopped manually. The next call starts it.');
  expect(ours).toContain('Restarted manually.');
  // Nothing follows yet.
  expect(await ask(core, 'log', { server: 'echo', after: mark })).toMatchObject({ lines: [], mark });
});

test('enables or disables several servers in one config change, except those in review', async () => {
  const held = { ...fixture('echo'), quarantined: true };
  await using core = await startCore({ servers: { a: fixture('echo'), b: fixture('echo'), held } });
  const all = ['a', 'b', 'held'];
  expect(await ask(core, 'setServersEnabled', { servers: ['a', 'b'], enabled: false })).toEqual({
    changed: ['a', 'b'],
    held: [],
  });
  expect(core.host.core.servers.manager.all.map(({ state }) => state.kind)).toEqual([
    'disabled',
    'disabled',
    'disabled',
  ]);
  expect(await ask(core, 'setServersEnabled', { servers: all, enabled: true })).toEqual({
    changed: ['a', 'b'],
    held: ['held'],
  });
  await until(() => core.server('a').state.kind === 'ready' && core.server('b').state.kind === 'ready');
  expect(core.server('held').state.kind).toBe('disabled');
  expect(await ask(core, 'setServersEnabled', { servers: ['a', 'nobody'], enabled: false })).toMatchObject({
    error: { code: 'server_not_found' },
  });
  expect(core.server('a').config.enabled).toBe(true);
});

test.skipIf(process.platform === 'win32')('reports the usage of servers by name', async () => {
  await using core = await startCore({
    servers: { echo: fixture('echo'), off: { ...fixture('echo'), enabled: false } },
  });
  const { servers } = (await ask(core, 'serverUsage')) as unknown as {
    servers: readonly { server: string; processes: number; memoryBytes: number }[];
  };
  expect(servers.map(({ server }) => server)).toEqual(['echo']);
  expect(servers[0]?.memoryBytes).toBeGreaterThan(10_000_000);
});

test('finds tools by name and description, matching names first', async () => {
  const tools = fixture('tracker');
  await using core = await startCore({ servers: { tracker: tools, echo: fixture('echo') } });
  const found = await ask(core, 'toolMatches', { text: 'issue LIST' });
  expect(found).toMatchObject({ servers: [{ server: 'tracker', tools: ['list_issues'] }] });
  expect(await ask(core, 'toolMatches', { text: 'nothing like it' })).toEqual({ servers: [] });
  expect(await ask(core, 'toolMatches', { text: '  ' })).toEqual({ servers: [] });
});
