/** Installs an npm package for a sandboxed server without the server's secrets, and mounts it read-only afterwards. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppError } from '../../src-main/core/base/errors.ts';
import { programIn } from '../../src-main/core/servers/launch/sandbox/npm-packages.ts';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import type { ServerReview } from '../../src-main/rpc/contract.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });
const folder = mkdtempSync(join(tmpdir(), 'tooltray-package-'));
const version = '1.0.0';

/** Its install script records its environment; its server returns that, and its own. */
const about = {
  name: 'looked-at',
  version,
  bin: 'server.js',
  files: ['server.js', 'install.js'],
  scripts: { postinstall: 'node install.js' },
};
const installScript = `require('fs').writeFileSync(__dirname + '/installed.json', JSON.stringify(process.env));`;
const serverScript = `#!/usr/bin/env node
const installed = require('fs').readFileSync(__dirname + '/installed.json', 'utf8');
let poisoned = 'no';
try { require('fs').writeFileSync(__dirname + '/server.js', ''); poisoned = 'yes'; } catch {}
const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } });
const answers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'looked-at', version: '1' } }),
  'tools/list': () => ({ tools: [tool('installed', installed), tool('running', JSON.stringify(process.env)), tool('poisoned', poisoned)] }),
};
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (answers[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]() }));
});`;

const registry = http.createServer((request, response) => {
  const at = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  if (request.url?.endsWith('.tgz') === true)
    return response.end(readFileSync(join(folder, `looked-at-${version}.tgz`)));
  const dist = { tarball: `${at}/looked-at-${version}.tgz` };
  return response.end(
    JSON.stringify({ name: about.name, 'dist-tags': { latest: version }, versions: { [version]: { ...about, dist } } }),
  );
});

beforeAll(async () => {
  const source = join(folder, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'package.json'), JSON.stringify(about));
  writeFileSync(join(source, 'install.js'), installScript);
  writeFileSync(join(source, 'server.js'), serverScript);
  execFileSync('npm', ['pack', '--pack-destination', folder, '--ignore-scripts'], { cwd: source, stdio: 'ignore' });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const entry = {
  command: 'npx',
  args: ['-y', `looked-at@${version}`],
  env: { API_KEY: 'planted-1' },
  inheritEnv: ['LOGIN_KEY'],
};

function start(server: object): Promise<TestCore> {
  const npm_config_registry = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  return startCore({ servers: { packed: server } }, { env: { npm_config_registry, LOGIN_KEY: 'planted-2' } });
}

test.skipIf(problem !== undefined)(
  'gives a sandboxed server its secrets, but not the install scripts of its package',
  async () => {
    await using core = await start({ ...entry, isolation: { mode: 'sandbox' } });
    // Nothing waits for a package to be installed.
    await until(() => core.server('packed').state.kind === 'ready');
    const [installed, running, poisoned] = core
      .server('packed')
      .listing.tools.map(({ description }) => String(description));
    expect(running).toMatch(/planted-1.*planted-2|planted-2.*planted-1/);
    expect(installed).toContain('PATH');
    expect(installed).not.toContain('planted-');
    expect(poisoned).toBe('no');
  },
  90_000,
);

test.skipIf(problem !== undefined)(
  'a preview installs the package the same way, without secrets',
  async () => {
    await using core = await start({ ...entry, quarantined: true });
    const ask = async (method: 'reviews' | 'previewServer', input: object): Promise<unknown> =>
      dispatchRpc(method, { ...input }, core.host.rpcDeps, new AbortController().signal);
    const { reviews } = (await ask('reviews', { server: 'packed' })) as { reviews: ServerReview[] };
    const seen = (await ask('previewServer', { server: 'packed', id: reviews[0]?.id })) as ServerReview;
    expect(seen.look).toMatchObject({ isDone: true, tools: 3 });
    expect(JSON.stringify(seen.look)).not.toContain('planted-');
  },
  90_000,
);

test.skipIf(problem !== undefined)(
  'does not start a program that the package names outside its own folder',
  async () => {
    const key = join(folder, 'key');
    writeFileSync(key, 'PRIVATE KEY');
    const box = join(folder, 'escaping');
    const made = join(box, 'node_modules', 'looked-at');
    mkdirSync(made, { recursive: true });
    for (const bin of [`${'../'.repeat(20)}${key}`, 'link.js']) {
      writeFileSync(join(made, 'package.json'), JSON.stringify({ ...about, bin }));
      rmSync(join(made, 'link.js'), { force: true });
      symlinkSync(key, join(made, 'link.js'));
      await expect(programIn(box, 'looked-at')).resolves.toBeUndefined();
    }
    writeFileSync(join(made, 'package.json'), JSON.stringify(about));
    writeFileSync(join(made, 'server.js'), '');
    await expect(programIn(box, 'looked-at')).resolves.toBe(join(made, 'server.js'));
  },
  90_000,
);

test.skipIf(problem !== undefined)(
  "names npm's error if a package cannot be installed",
  async () => {
    await using core = await start({ ...entry, args: ['-y', 'looked-at@9.9.9'], isolation: { mode: 'sandbox' } });
    // A retry keeps the error of the last start.
    const failure = (): AppError | undefined => {
      const { state } = core.server('packed');
      return 'error' in state ? state.error : undefined;
    };
    await until(() => failure() !== undefined);
    expect(failure()?.code).toBe('server_not_started');
    expect(failure()?.message).toContain('ETARGET');
  },
  90_000,
);
