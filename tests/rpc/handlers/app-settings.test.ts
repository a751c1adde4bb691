/** Settings of one client app: shown, changed for that app only, and applied to its open sessions. */
import { expect, onTestFinished, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { ask } from '../dashboard-client.ts';

async function start(config: object): Promise<TestCore> {
  const core = await startCore({ servers: { echo: fixture('echo') }, mode: 'search', ...config }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

test("applies an app's mode to its open sessions, and removes it with the setting", async () => {
  const core = await start({ appModes: { Zed: 'meta' } });
  const [cursor, zed] = [await core.open({}, { app: 'Cursor' }), await core.open({}, { app: 'Zed' })];
  const before = await zed.toolNames();
  expect(await ask(core, 'appSettings', { app: 'Cursor' })).toMatchObject({ defaultMode: 'search', appName: 'Cursor' });
  expect(await ask(core, 'appSettings', { app: 'Cursor' })).not.toHaveProperty('mode');
  await ask(core, 'setAppSettings', { app: 'Cursor', mode: 'proxy' });
  expect(await ask(core, 'appSettings', { app: 'Cursor' })).toMatchObject({ mode: 'proxy' });
  expect(await cursor.toolNames()).toContain('echo');
  expect(await zed.toolNames()).toEqual(before);
  await ask(core, 'setAppSettings', { app: 'Cursor', mode: null });
  expect(await cursor.toolNames()).not.toContain('echo');
  expect(core.host.core.context.config.current.appModes).toEqual({ Zed: 'meta' });
  expect(await ask(core, 'setAppSettings', { app: 'Cursor', mode: 'none such' })).toMatchObject({
    error: { code: 'mode_unknown' },
  });
});

test("shows an app's own limit with its sessions, beside the default", async () => {
  const core = await start({ results: { toon: true } });
  const client = await core.open({}, { app: 'Cursor' });
  await client.toolNames();
  const limit = async (): Promise<unknown> => {
    const { sessions } = await ask(core, 'timelineSessions');
    return (sessions as readonly { readonly limitBytes?: number }[])[0]?.limitBytes;
  };
  const without = await limit();
  expect(await ask(core, 'appSettings', { app: 'Cursor' })).toMatchObject({ defaultThreshold: without });
  await ask(core, 'setAppSettings', { app: 'Cursor', threshold: 5000 });
  await ask(core, 'setAppSettings', { app: '__proto__', threshold: 7 });
  expect(await limit()).toBe(5000);
  expect(await ask(core, 'appSettings', { app: 'Cursor' })).toMatchObject({
    threshold: 5000,
    defaultThreshold: without,
  });
  expect(await ask(core, 'appSettings', { app: 'Zed' })).not.toHaveProperty('threshold');
  await ask(core, 'setAppSettings', { app: 'Cursor', threshold: null });
  await ask(core, 'setAppSettings', { app: '__proto__', threshold: null });
  expect(await limit()).toBe(without);
  expect(core.host.core.context.config.current.results).toMatchObject({ toon: true, appThresholds: {} });
});

test('shows an app only the servers that are chosen for it, as a profile that no other app has', async () => {
  const servers = { echo: fixture('echo'), shop: fixture('eight-tools', 'web') };
  const shared = { servers: ['shop'], readOnly: true };
  const core = await start({ servers, profiles: { shared }, appProfiles: { Zed: 'shared', Cursor: 'shared' } });
  const config = () => core.host.core.context.config.current;
  expect(await ask(core, 'appSettings', { app: 'Other' })).not.toHaveProperty('servers');

  await ask(core, 'setAppSettings', { app: 'My App!', servers: ['echo'] });
  expect(config()).toMatchObject({
    profiles: { shared, 'My-App-': { servers: ['echo'] } },
    appProfiles: { 'My App!': 'My-App-' },
  });
  expect(await ask(core, 'appSettings', { app: 'My App!' })).toMatchObject({ servers: ['echo'] });

  // The other rules of a shared profile stay in force, and the other app keeps the profile.
  await ask(core, 'setAppSettings', { app: 'Cursor', servers: ['echo'] });
  expect(config()).toMatchObject({
    profiles: { shared, Cursor: { servers: ['echo'], readOnly: true } },
    appProfiles: { Zed: 'shared', Cursor: 'Cursor' },
  });

  await ask(core, 'setAppSettings', { app: 'My App!', servers: null });
  await ask(core, 'setAppSettings', { app: 'Cursor', servers: null });
  expect(config().profiles).toEqual({ shared, Cursor: { readOnly: true } });
  expect(config().appProfiles).toEqual({ Zed: 'shared', Cursor: 'Cursor' });
});

test('creates and changes a profile without its rules for single tools, and removes it from its apps', async () => {
  const work = { servers: ['echo'], except: ['echo:echo'] };
  const core = await start({ profiles: { work }, appProfiles: { Zed: 'work' } });
  const config = () => core.host.core.context.config.current;
  await ask(core, 'setProfile', { name: 'work', rules: { readOnly: true } });
  await ask(core, 'setProfile', { name: 'look', rules: { servers: [] } });
  expect(config().profiles).toEqual({ work: { readOnly: true, except: ['echo:echo'] }, look: { servers: [] } });
  await ask(core, 'setProfile', { name: 'work', rules: null });
  expect([config().profiles, config().appProfiles]).toEqual([{ look: { servers: [] } }, {}]);
  expect(await ask(core, 'setProfile', { name: 'not a name', rules: {} })).toMatchObject({
    error: { code: 'bad_request' },
  });
});
