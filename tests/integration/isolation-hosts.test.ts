/** A server in a sandbox that may reach some hosts by name, and no others. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCommand } from '../../src-main/core/servers/launch/find-command.ts';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { fixture, startCore } from '../support/start-core.ts';

const env = { PATH: process.env['PATH'] ?? '' };
const bwrap = await findCommand('bwrap', env);
const isThere = (await sandboxUnavailableReason(env)) === undefined && (await findCommand('socat', env)) !== undefined;

const sites = ['named', 'other'].map((name) => http.createServer((_request, response) => response.end(name)));
const ports: number[] = [];
beforeAll(async () => {
  for (const site of sites) {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    ports.push((site.address() as AddressInfo).port);
  }
});
afterAll(() => sites.forEach((site) => site.close()));

const boxed = (isolation: object) => ({
  ...fixture('prober'),
  isolation: { mode: 'sandbox', write: [], ...isolation },
});

test.skipIf(!isThere)('reaches the named hosts through every client that honors proxies, and no others', async () => {
  const [named = 0, other = 0] = ports;
  await using core = await startCore({ servers: { s: boxed({ network: [`localhost:${named}`] }) }, dataFlow: 'off' });
  const client = await core.open();
  const probe = async (name: string, args: object): Promise<string> => {
    const { content } = (await client.request('tools/call', { name, arguments: args })) as {
      content: { text: string }[];
    };
    return content[0]?.text ?? '';
  };
  expect(await probe('fetch', { url: `http://localhost:${named}/` })).toBe('200 named');
  for (const host of [`localhost:${other}`, `127.0.0.1:${named}`, 'example.com']) {
    expect(await probe('fetch', { url: `http://${host}/` })).toMatch(
      /^(?:403 This server is not allowed to access|no: )/,
    );
  }
  expect(await probe('tcp', { host: '127.0.0.1', port: named })).toMatch(/^no: /);
  expect(await probe('lookup', { name: 'example.com' })).toMatch(/^no: /);
  expect(await probe('unix', { path: core.host.paths.socketPath })).toMatch(/^no: /);
  const log = (): string => readFileSync(join(core.host.paths.logDir, 'core.log'), 'utf8');
  await expect.poll(log).toContain(`s requested localhost:${other}, which it is not allowed to access`);
  const addresses = (): string[] =>
    readdirSync(dirname(core.host.paths.socketPath)).filter((name) => name.startsWith('door-'));
  expect(addresses()).toHaveLength(1);
  await core.server('s').retry();
  await expect.poll(() => core.server('s').state.kind).toBe('ready');
  expect(addresses()).toHaveLength(1);
  expect(await probe('fetch', { url: `http://localhost:${named}/` })).toBe('200 named');
});

describe('without the means to limit hosts, a server does not start and says why', () => {
  const stateOf = async (s: object, PATH = env.PATH) => {
    await using core = await startCore({ servers: { s } }, { env: { PATH } });
    return { state: core.server('s').state };
  };
  const errorOf = async (isolation: object, PATH?: string): Promise<string> => {
    const { state } = await stateOf(boxed(isolation), PATH);
    return 'error' in state ? (state.error?.text ?? '') : state.kind;
  };

  test.skipIf(!isThere)('without socat', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'tooltray-bin-'));
    mkdirSync(join(bin, 'bin'));
    symlinkSync(bwrap ?? '', join(bin, 'bin/bwrap'));
    symlinkSync('/usr/bin/true', join(bin, 'bin/true'));
    expect(await errorOf({ network: ['a.example'] }, join(bin, 'bin'))).toContain('socat');
    rmSync(bin, { recursive: true });
  });

  test('in a container that cannot run the proxy, or has another network', async () => {
    const container = { mode: 'container', image: 'a/b', network: ['a.example'] };
    expect(await errorOf({ ...container, extra_args: ['--network=host'] })).toContain('this container cannot enforce');
    const { state } = await stateOf({ ...boxed(container), command: 'sh' });
    expect('error' in state && state.error?.text).toMatch(/needs Node\.js or Python in its image|on Linux only/);
  });
});
