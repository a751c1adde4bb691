/** The bundle for Claude Desktop: built, valid, and its server reaches the running core. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleEntry, readBundle, unpackBundle } from '../../src-main/core/client-apps/mcpb-bundles.ts';
import { spawnRaw } from '../support/raw-client.ts';
import { fixture, startCore } from '../support/start-core.ts';

const script = join(import.meta.dirname, '../../scripts/mcpb/build.mjs');
const validator = join(import.meta.dirname, '../../node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-mcpb-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('builds a small, valid bundle whose server answers through the socket', async () => {
  const file = join(folder, 'tooltray.mcpb');
  const built = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  expect({ code: built.status, said: built.status === 0 ? '' : built.stderr }).toEqual({ code: 0, said: '' });
  const bundle = await readBundle(file);
  expect([...bundle.files.keys()].sort()).toEqual(['LICENSE', 'icon.png', 'manifest.json', 'server/index.cjs']);

  const place = await unpackBundle(bundle, folder);
  const valid = spawnSync(process.execPath, [validator, 'validate', join(place, 'manifest.json')], {
    encoding: 'utf8',
  });
  expect(valid.status).toBe(0);

  await using core = await startCore({ servers: { e: fixture('echo') } });
  const { args } = bundleEntry(bundle.manifest, place, {}, { home: folder, platform: process.platform });
  // Started with a minimal environment, like an app does.
  const env = { HOME: folder, PATH: '/usr/bin:/bin', TOOLTRAY_HOME: core.home };
  await using server = spawnRaw(process.execPath, args as string[], { env });
  const { client } = server;
  await client.initialize({});
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(['echo']);
  expect(core.host.core.clients.sessions.all.map(({ app }) => app)).toEqual(['claude-desktop']);
});
