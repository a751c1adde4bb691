/** First starts of package runners take minutes and are not interrupted; damaged packages are removed on request. */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  clearDamagedFolder,
  damagedFolder,
  packageRunner,
} from '../../../../src-main/core/servers/launch/package-runner.ts';
import { fixtureCommand } from '../../../fixtures/spawn-fixture.ts';
import { until } from '../../../support/until.ts';
import { failure, isAlive, say, serversHarness, toolNames, type ServersHarness } from '../servers-harness.ts';
import type { ManagedServer } from '../../../../src-main/core/servers/managed-server.ts';

interface Cache {
  readonly folder: string;
  /** Process IDs of everything started with it. */
  starts(): number[];
  isWhole(): boolean;
  isHalf(): boolean;
}

interface More {
  readonly initTimeoutMs?: number;
  readonly quirks?: readonly string[];
}

interface Installing {
  readonly harness: ServersHarness;
  readonly cache: Cache;
  readonly server: (name: string, installMs: number, more?: More) => ManagedServer;
}

/** Servers that a fake npx downloads first, with a shared cache. */
function installing(): Installing {
  const harness = serversHarness();
  const folder = join(harness.folder, 'cache');
  mkdirSync(folder);
  const npx = join(harness.folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\nexec "${process.execPath}" "${fixtureCommand('fake-npx').args[0]}" "$@"\n`);
  chmodSync(npx, 0o755);
  const package_ = join(folder, '_npx', '0123456789abcdef');
  return {
    harness,
    cache: {
      folder: package_,
      starts: () => readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n').map(Number),
      isWhole: () => existsSync(join(package_, 'package.json')),
      isHalf: () => existsSync(join(package_, 'half')),
    },
    server: (name, installMs, { initTimeoutMs = 2000, quirks = [] } = {}) => {
      const args = [folder, String(installMs), fixtureCommand('quirky').args[0] as string, ...quirks];
      const config = harness.fixture(name, 'quirky', [], { initTimeoutMs });
      return harness.server({ ...config, command: npx, args });
    },
  };
}

describe('First start with a package runner', () => {
  test('does not end an installation at the start timeout and reports that it installs', async () => {
    const { cache, server: make } = installing();
    const server = make('a', 5000);
    const summaries: string[] = [];
    server.changed.on(() => summaries.push(`${server.state.kind}: ${server.health.summary}`));
    const started = server.start();
    await until(() => server.state.kind === 'installing');
    // Nobody waits for it.
    await started;
    const refused = [await failure(server.ready()), await failure(say(server, 'echo'))];
    expect(refused).toMatchObject(Array(2).fill({ code: 'server_starting' }));
    expect(server.health).toMatchObject({
      level: 'busy',
      summary: expect.stringMatching(/^Installing \d+ s$/) as string,
    });
    await until(() => server.state.kind === 'ready');
    expect([toolNames(server), cache.starts().length]).toEqual([['echo', 'tick', 'starts'], 1]);
    expect(summaries.some((one) => one.startsWith('error'))).toBe(false);
  });

  test('lets an installation finish after its server is stopped, and leaves no process', async () => {
    const { cache, harness, server: make } = installing();
    const server = make('a', 1500);
    void server.start();
    await until(() => cache.isHalf());
    await server.stop();
    // As when a core stops.
    harness.registry.close();
    expect(cache.isWhole()).toBe(false);
    await until(() => cache.isWhole());
    await until(() => !isAlive(cache.starts()[0]));
  });

  test('waits for the installation of the same package by another server', async () => {
    const { cache, server: make } = installing();
    const servers = [make('a', 1500), make('b', 1500)];
    // A slow computer shows them as being installed.
    for (const server of servers) void server.start();
    await until(() => servers.every((server) => server.state.kind === 'ready'));
    expect([servers.map(toolNames), cache.starts().length]).toMatchObject([
      [['echo'], ['echo']].map(() => expect.arrayContaining(['echo']) as string[]),
      2,
    ]);
  });

  test('applies the usual start timeout once the server runs', async () => {
    const { server: make } = installing();
    const server = make('a', 0, { initTimeoutMs: 700, quirks: ['startsAfter:100000'] });
    void server.start();
    await until(() => server.state.kind === 'error');
    expect(server.state).toMatchObject({ error: { code: 'server_timeout' } });
  });
});

test('doubles the start timeout after a start that timed out', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('a', 'quirky', ['startsAfter:900'], { initTimeoutMs: 600 }));
  await server.start();
  expect(server.state).toMatchObject({ kind: 'error', error: { code: 'server_timeout' } });
  expect((server.state as { error: { fix: string } }).error.fix).toContain('initTimeoutSeconds');
  await until(() => server.state.kind === 'ready');
});

describe('Damaged npx packages', () => {
  test('reports a damaged folder and removes it only if the user asks', async () => {
    const { cache, server: make } = installing();
    mkdirSync(join(cache.folder, 'node_modules'), { recursive: true });
    writeFileSync(join(cache.folder, 'half'), '');
    const other = join(cache.folder, '..', 'fedcba9876543210');
    mkdirSync(join(other, 'node_modules'), { recursive: true });
    const server = make('a', 0);
    void server.start();
    await until(() => server.state.kind === 'error');
    expect(server.health.action).toMatchObject({ kind: 'retry', clears: cache.folder });
    await failure(server.retry());
    expect(existsSync(cache.folder)).toBe(true);
    await until(() => server.state.kind === 'error');
    void server.retry({ clear: true }).catch(() => undefined);
    await until(() => server.state.kind === 'ready');
    expect([cache.isWhole(), existsSync(other)]).toEqual([true, true]);
  });

  const folder = '/home/a/.npm/_npx/0123456789abcdef';
  test.each([
    [`Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from ${folder}/node_modules/y/dist/i.js`, folder],
    [`Error: Cannot find module '${folder}/node_modules/y/z.js'`, folder],
    [`  at file://${folder}/node_modules/y/index.js:1:1\n  code: 'ERR_MODULE_NOT_FOUND'`, folder],
    [`npm error code ENOTEMPTY\nnpm error path ${folder}/node_modules/y`, folder],
    ["Error: Cannot find module '/home/a/project/z.js'", undefined],
    [`Error: no key\n    at ${folder}/node_modules/y/index.js:1`, undefined],
  ])('reads the damaged folder from the output: %s', (said, found) => {
    expect(damagedFolder(said.split('\n'))).toBe(found);
  });

  test('removes nothing but a damaged package folder', async () => {
    const { folder: home } = serversHarness();
    const outside = join(home, 'documents');
    mkdirSync(join(outside, 'node_modules'), { recursive: true });
    const npx = join(home, '_npx');
    mkdirSync(join(npx, 'not-a-digest', 'node_modules'), { recursive: true });
    mkdirSync(join(npx, '0000000000000000'));
    symlinkSync(outside, join(npx, '1111111111111111'));
    const names = ['not-a-digest', '0000000000000000', '1111111111111111', '2222222222222222', '..'];
    const cleared = await Promise.all(names.map((name) => clearDamagedFolder(join(npx, name))));
    expect([cleared, existsSync(join(outside, 'node_modules')), existsSync(npx)]).toEqual([
      names.map(() => false),
      true,
      true,
    ]);
  });
});

test.each([
  ['npx', ['-y', 'x'], 'npx'],
  ['C:\\nodejs\\npx.cmd', ['-y', 'x'], 'npx'],
  ['cmd', ['/c', 'npx', '-y', 'x'], 'npx'],
  ['bash', ['-lc', 'exec npx -y x'], 'npx'],
  ['env', ['A=1', 'uvx', 'x'], 'uvx'],
  ['npm', ['exec', 'x'], 'npm'],
  ['uv', ['--quiet', 'tool', 'run', 'x'], 'uv'],
  ['docker', ['run', '-i', '--rm', 'x'], 'docker'],
  ['pipx', ['run', 'x'], 'pipx'],
  ['pnpm', ['dlx', 'x'], 'pnpm'],
  ['npm', ['start'], undefined],
  ['docker', ['exec', '-i', 'x'], undefined],
  ['node', ['npx.js'], undefined],
  ['/bin/sh', ['-c', 'node server.js'], undefined],
])('detects the package runner of %s %j: %s', (command, args, runner) => {
  expect(packageRunner(command, args)).toBe(runner);
});
