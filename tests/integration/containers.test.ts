/** A server in a container, with allowed paths and hosts. Requires Docker or Podman; the image is built here. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { containersWith, engine, limits, makeNodeImage, runLeft } from '../support/boxes/node-image.ts';
import { openWorld, ways } from '../support/escapes.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-containers-'));
const [allowed, readable] = ['allowed', 'readable'].map((name) => {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'file.txt'), `text of ${name}`);
  return join(folder, name);
}) as [string, string];
const image = 'localhost/tooltray-test/node:1';
let removeImage: (() => void) | undefined;

beforeAll(() => {
  if (engine !== undefined) removeImage = makeNodeImage(image);
}, 120_000);

afterAll(() => {
  removeImage?.();
  rmSync(folder, { recursive: true, force: true });
});

/** Containers of a core in this process. */
function containers(): readonly string[] {
  return containersWith(`tooltray.core=${process.pid}`);
}

async function probe(core: TestCore, tool: string, args: object = {}): Promise<string> {
  const client = await core.open();
  const { content } = (await client.request('tools/call', { name: tool, arguments: args })) as {
    content: { text: string }[];
  };
  return content[0]?.text ?? '';
}

const boxed = {
  ...fixture('prober'),
  env: { OWN_KEY: 'own-secret-0001' },
  isolation: { mode: 'container', image, network: false, read: [readable], write: [allowed], extra_args: limits },
};

test.skipIf(engine === undefined)(
  'reads and writes only allowed paths, reaches nothing else, and is removed when it ends',
  async () => {
    {
      await using core = await startCore({ servers: { boxed }, dataFlow: 'off' }, { env: { PLANTED_API_KEY: 'sk-1' } });
      await expect.poll(() => core.server('boxed').state.kind, { timeout: 60_000 }).toBe('ready');
      expect(containers()).toHaveLength(1);
      const refused = /^no: /;
      expect(await probe(core, 'read', { path: join(readable, 'file.txt') })).toBe('text of readable');
      expect(await probe(core, 'write', { path: join(readable, 'new.txt') })).toMatch(refused);
      expect(await probe(core, 'write', { path: join(allowed, 'new.txt') })).toBe('written');
      expect(readFileSync(join(allowed, 'new.txt'), 'utf8')).toContain('written');
      expect(await probe(core, 'list', { path: homedir() })).not.toContain('.bashrc');
      for (const path of [core.configFile, join(core.home, 'run', 'token')])
        expect(await probe(core, 'read', { path })).toMatch(refused);
      expect(await probe(core, 'unix', { path: core.host.paths.socketPath })).toMatch(refused);
      expect(await probe(core, 'tcp', { host: '127.0.0.1', port: new URL(core.url).port })).toMatch(refused);
      expect(await probe(core, 'lookup', { name: 'example.com' })).toMatch(refused);
      const env = JSON.parse(await probe(core, 'env')) as Record<string, string>;
      expect(env).toMatchObject({ OWN_KEY: 'own-secret-0001' });
      expect(env).not.toHaveProperty('PLANTED_API_KEY');
      const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
      expect(processes).not.toContain('own-secret-0001');
      expect(await probe(core, 'read', { path: '/proc/self/status' })).toMatch(/CapEff:\s+0+\n/);
      const kept = JSON.parse(readFileSync(join(core.home, 'data', 'boxes', 'images.json'), 'utf8')) as Record<
        string,
        string
      >;
      expect(kept[image]).toMatch(/^(?:sha256:)?[0-9a-f]{64}$/);
    }
    expect(containers()).toEqual([]);
  },
  180_000,
);

test.skipIf(engine === undefined)(
  'has no way out except those that the entry names',
  async () => {
    await using world = await openWorld();
    await using core = await startCore({ servers: { boxed }, dataFlow: 'off' }, { env: { PLANTED_API_KEY: 'sk-1' } });
    await expect.poll(() => core.server('boxed').state.kind, { timeout: 60_000 }).toBe('ready');
    const found = await world.tried(core, (tool, args) => probe(core, tool, args));
    expect(ways.filter((way) => found[way])).toEqual([]);
  },
  180_000,
);

test.skipIf(engine === undefined)(
  'reaches the named hosts through every client that honors proxies, and no others',
  async () => {
    const sites = ['named', 'other'].map((name) => http.createServer((_request, response) => response.end(name)));
    const ports: number[] = [];
    for (const site of sites) {
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      ports.push((site.address() as AddressInfo).port);
    }
    onTestFinished(() => sites.forEach((site) => site.close()));
    const [named = 0, other = 0] = ports;
    await using world = await openWorld();
    const hosts = { ...boxed, isolation: { ...boxed.isolation, network: [`localhost:${named}`] } };
    {
      await using core = await startCore({ servers: { hosts }, dataFlow: 'off' }, { env: { PLANTED_API_KEY: 'sk-1' } });
      await expect.poll(() => core.server('hosts').state.kind, { timeout: 60_000 }).toBe('ready');
      const reached = (host: string): Promise<string> => probe(core, 'fetch', { url: `http://${host}/` });
      expect(await reached(`localhost:${named}`)).toBe('200 named');
      for (const host of [`localhost:${other}`, `127.0.0.1:${named}`, 'example.com'])
        expect(await reached(host)).toMatch(/^(?:403 This server is not allowed to access|no: )/);
      expect(await probe(core, 'tcp', { host: '127.0.0.1', port: named })).toMatch(/^no: /);
      const found = await world.tried(core, (tool, args) => probe(core, tool, args));
      expect(ways.filter((way) => found[way])).toEqual([]);
      const sockets = dirname(core.host.paths.socketPath);
      expect(readdirSync(sockets).filter((name) => name.startsWith('door-'))).toHaveLength(1);
    }
    expect(containers()).toEqual([]);
  },
  180_000,
);

test.skipIf(engine === undefined)(
  'removes the container of a server killed from outside, and starts it in another one',
  async () => {
    await using core = await startCore({ servers: { boxed }, dataFlow: 'off' });
    await expect.poll(() => core.server('boxed').state.kind, { timeout: 60_000 }).toBe('ready');
    const [before] = containers();
    execFileSync('pkill', ['-9', '-f', `run --rm -i --name ${before}`]);
    await expect.poll(() => containers().filter((name) => name === before), { timeout: 30_000 }).toEqual([]);
    await expect.poll(() => containers().length, { timeout: 60_000 }).toBe(1);
    await expect.poll(() => core.server('boxed').state.kind, { timeout: 60_000 }).toBe('ready');
  },
  180_000,
);

test.skipIf(engine === undefined)(
  'removes the containers of a killed core when the next core has started its first server',
  async () => {
    const home = join(folder, 'home');
    const label = createHash('sha256')
      .update(join(home, 'data', 'boxes'))
      .digest('hex')
      .slice(0, 16);
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const left = runLeft([`tooltray.home=${label}`, `tooltray.core=${dead}`], image);
    expect(containersWith(`tooltray.home=${label}`)).toEqual([left]);
    mkdirSync(home);
    await using core = await startCore({ servers: { boxed }, dataFlow: 'off' }, { home });
    await expect.poll(() => core.server('boxed').state.kind, { timeout: 60_000 }).toBe('ready');
    expect([containersWith(`tooltray.core=${dead}`), containers().length]).toEqual([[], 1]);
  },
  180_000,
);

test('does not start without an engine, and says what to do', async () => {
  const bin = join(folder, 'empty');
  mkdirSync(bin);
  await using core = await startCore({ servers: { boxed } }, { env: { PATH: bin, TERM: 'dumb' } });
  const { state } = core.server('boxed');
  expect('error' in state && state.error).toMatchObject({
    code: 'server_not_started',
    text: expect.stringContaining('Neither Docker nor Podman was found') as string,
    fix: expect.stringContaining('tooltray sandbox boxed bubblewrap') as string,
  });
  expect(existsSync(join(core.home, 'data', 'boxes', 'images.json'))).toBe(false);
});
