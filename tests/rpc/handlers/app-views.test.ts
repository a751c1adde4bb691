/** Tool views as requested by the dashboard, on a real core with a server that has some. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { ask, send } from '../dashboard-client.ts';

const patience = { timeout: 30_000 };
const nothing = { network: false, permissions: false };

test("reads a tool's view from its server, under either key, as text or base64", async () => {
  const core = await start();
  for (const tool of ['show', 'show_old', 'show_online']) {
    const view = await ask(core, 'openView', { server: 'viewer', tool, ...nothing });
    expect(view).toMatchObject({ tool: { name: tool }, allow: '' });
    expect(view['html']).toContain('<h1>A view</h1>');
  }
  const online = await ask(core, 'openView', {
    server: 'viewer',
    tool: 'show_online',
    network: true,
    permissions: true,
  });
  expect(online).toMatchObject({
    uri: 'ui://viewer/online',
    allow: 'camera *; clipboard-write *',
    requirements: {
      connect: ['http://api.views.test:9'],
      refused: ['http://127.0.0.1:9', '*', "https://x.test; script-src 'self'"],
    },
  });
});

test('rejects a tool without a view, a view of another type, and an unknown tool', async () => {
  const core = await start();
  const code = async (tool: string): Promise<unknown> =>
    (await ask(core, 'openView', { server: 'viewer', tool, ...nothing }))['error'];
  expect(await code('write_note')).toMatchObject({ code: 'not_found' });
  expect(await code('show_picture')).toMatchObject({
    code: 'unsupported',
    message: 'The view ui://viewer/picture of viewer is image/svg+xml.',
  });
  expect(await code('no_such')).toMatchObject({ code: 'tool_not_found' });
});

test('serves a frame once, only to a frame of the dashboard, with its policy', async () => {
  const core = await start();
  const open = async (): Promise<string> =>
    String((await ask(core, 'openView', { server: 'viewer', tool: 'show', ...nothing }))['frame']);
  const frame = await open();
  const response = await fetch(new URL(frame, core.url));
  expect(response.headers.get('content-security-policy')).toMatch(
    /^sandbox allow-scripts allow-forms; default-src 'none'/,
  );
  expect(response.headers.get('content-security-policy')).toContain("connect-src 'none'");
  expect(await response.text()).toContain('sandbox-');
  expect((await fetch(new URL(frame, core.url))).status).toBe(404);
  expect((await fetch(new URL('/view/made-up', core.url))).status).toBe(404);
  const refused = async (headers: Record<string, string>): Promise<number> =>
    (await send(core, 'GET', await open(), headers)).status;
  expect(await refused({ 'sec-fetch-dest': 'document' })).toBe(404);
  expect(await refused({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' })).toBe(404);
  expect(await refused({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' })).toBe(200);
});

test("a view calls its own server's tools by exact name, as the user, and is recorded as the caller", async () => {
  const core = await start();
  const view = 'ui://viewer/plain';
  const call = (tool: string, more: object = {}): Promise<Record<string, unknown>> =>
    ask(core, 'callFromView', { server: 'viewer', view, tool, arguments: { words: 'x' }, ...more });
  const { id } = await call('read_clock');
  await vi.waitUntil(async () => (await ask(core, 'run', { id, after: 0 }))['end'] !== undefined, patience);
  expect(await ask(core, 'runResult', { id })).toEqual({
    result: {
      content: [{ type: 'text', text: 'read_clock was told x' }],
      structuredContent: { tool: 'read_clock', words: 'x' },
      _meta: { seen: 'by views alone' },
    },
  });
  expect(await call('write_note')).toEqual({ asks: 'destroys' });
  expect(await call('write_note', { agreed: true })).toHaveProperty('id');
  expect(await call('for_models')).toMatchObject({ error: { code: 'not_allowed' } });
  for (const tool of ['echo', 'echo:echo', 'viewer:read_clock', 'Read_Clock', ' read_clock'])
    expect(await call(tool), tool).toMatchObject({ error: { code: 'tool_not_found' } });
  await vi.waitUntil(async () => (await ask(core, 'activity', {}))['total'] === 2, patience);
  expect(await ask(core, 'activity', {})).toMatchObject({
    calls: [
      { app: 'You', via: 'view', tool: 'write_note', declared: { reason: `Requested by the user interface ${view}` } },
      { app: 'You', via: 'view', tool: 'read_clock', declared: { reason: `Requested by the user interface ${view}` } },
    ],
  });
});

test('a view reads resources of its own server', async () => {
  const core = await start();
  expect(await ask(core, 'readForView', { server: 'viewer', uri: 'note://viewer/one' })).toMatchObject({
    result: { contents: [{ text: 'what note://viewer/one is' }] },
  });
});

test('reports which tools have a view, with the server and with a call', async () => {
  const core = await start();
  const { tools } = (await ask(core, 'serverDetail', { server: 'viewer' })) as {
    tools: { name: string; hasView: boolean }[];
  };
  expect(tools.filter(({ hasView }) => !hasView).map(({ name }) => name)).toEqual(['write_note', 'for_models']);
  const client = await core.open();
  await client.callTool('viewer_show', {});
  await vi.waitUntil(async () => (await ask(core, 'activity', {}))['total'] === 1, patience);
  const { calls } = (await ask(core, 'activity', {})) as { calls: { id: number }[] };
  expect(await ask(core, 'callDetail', { id: calls[0]?.id })).toMatchObject({ tool: 'show', hasView: true });
});

test('declares the UI extension to a server that lists views only for it', async () => {
  const core = await start();
  await core.write({ servers: { shy: fixture('views', 'shy', 'asks') } });
  await vi.waitUntil(() => core.host.core.servers.manager.find('shy')?.listedAt !== undefined, patience);
  const detail = async (): Promise<unknown> => ask(core, 'serverDetail', { server: 'shy' });
  expect(await detail()).toMatchObject({ tools: [{ name: 'show', hasView: false }] });
  const view = await ask(core, 'openView', { server: 'shy', tool: 'show', ...nothing });
  expect(view['html']).toContain('<p>shy</p>');
  expect(await detail()).toMatchObject({ tools: [{ name: 'show', hasView: true }] });
  const wish = { server: 'shy', view: 'ui://clock/view.html', tool: 'tick', arguments: {}, agreed: true };
  const { id } = await ask(core, 'callFromView', wish);
  await vi.waitUntil(async () => (await ask(core, 'run', { id, after: 0 }))['end'] !== undefined, patience);
  expect(await ask(core, 'runResult', { id })).toMatchObject({
    result: { structuredContent: { name: 'tick', extensions: { 'io.modelcontextprotocol/ui': {} } } },
  });
});

test('runs a tool by hand that is only for views', async () => {
  const core = await start();
  expect(await ask(core, 'startRun', { server: 'viewer', tool: 'read_clock', arguments: {} })).toHaveProperty('id');
});

async function start(): Promise<TestCore> {
  const core = await startCore({ servers: { viewer: fixture('viewer'), echo: fixture('echo') } }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}
