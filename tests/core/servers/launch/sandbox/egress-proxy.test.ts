/** The proxy out of a sandbox connects only to the named hosts, checked by their resolved addresses. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findCommand } from '../../../../../src-main/core/servers/launch/find-command.ts';
import {
  proxySocketInside,
  EgressProxyFactory,
  routeByProgram,
} from '../../../../../src-main/core/servers/launch/sandbox/egress-proxy.ts';
import { isOwnAddress } from '../../../../../src-main/core/servers/network/address-kinds.ts';
import { sandboxUnavailableReason } from '../../../../../src-main/core/servers/launch/sandbox/bubblewrap.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-addresses-'));
const site = http.createServer((request, response) => response.end(`${request.method} ${request.headers.host}`));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  port = (site.address() as net.AddressInfo).port;
});
afterAll(() => {
  site.close();
  rmSync(folder, { recursive: true, force: true });
});

const refused: string[] = [];
/** Resolves every name to this computer, like an attacker's name server. */
const addresses = new EgressProxyFactory(
  folder,
  (server, host) => refused.push(`${server} ${host}`),
  (host) =>
    host === 'nobody.example'
      ? Promise.reject(new Error('no such name'))
      : Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
);

/** Sends bytes and returns the whole response. */
async function say(socket: string, bytes: string): Promise<string> {
  const line = net.connect(socket);
  line.write(bytes);
  return text(line);
}

const connect = (host: string) =>
  `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\nGET / HTTP/1.1\r\nHost: inside\r\nConnection: close\r\n\r\n`;
const get = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

test.each([
  ['an address that is written', () => [`127.0.0.1:${port}`], () => `127.0.0.1:${port}`],
  ['this computer', () => [`localhost:${port}`], () => `localhost:${port}`],
  ['a name of its own network', () => [`wiki.internal:${port}`], () => `WIKI.Internal:${port}`],
  ['a name below one', () => [`*.corp:${port}`], () => `a.b.corp:${port}`],
])('allows %s, by CONNECT and by plain request', async (_what, hosts, wanted) => {
  const door = await addresses.open('s', hosts());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await say(door.socket, connect(wanted()))).toMatch(/^HTTP\/1\.1 200 .*GET inside$/s);
  expect(await say(door.socket, get(wanted()))).toMatch(/^HTTP\/1\.1 200 .*GET /s);
  door.close();
  await expect.poll(() => existsSync(door.socket)).toBe(false);
});

test.each([
  ['another host', 'evil.example:443'],
  ['another port', 'api.example.com:22'],
  ['what only ends like a name', 'evilapi.example.com:443'],
  ['the name itself where what is below it was meant', 'wild.example.com:443'],
  ['a name of somebody else that leads into this network', 'api.example.com:443'],
  ['an address that was not named', '127.0.0.1:443'],
  ['an address spelled otherwise', '0x7f.1:443'],
  ['a name before an at sign', 'api.example.com@evil.example:443'],
])('rejects %s and reports it once', async (_what, wanted) => {
  const door = await addresses.open('mine', ['api.example.com', '*.wild.example.com']);
  refused.length = 0;
  for (const bytes of [connect(wanted), get(wanted)]) {
    const answer = await say(door.socket, bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toMatch(/is not allowed to access|resolves to a private network address/);
  }
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatch(/^mine /);
  door.close();
});

test.each([
  ['loopback', '127.0.0.1'],
  ['loopback in IPv6', '::1'],
  ['loopback as an IPv4-mapped address', '::ffff:127.0.0.1'],
  ['link-local addresses', '169.254.169.254'],
  ['link-local addresses of IPv6', 'fe80::1'],
  ['the metadata service of AWS in IPv6', 'fd00:ec2::254'],
  ['the metadata service of Azure', '168.63.129.16'],
  ['the unspecified address', '0.0.0.0'],
])('in a team rejects %s, whatever the entry names', async (_what, address) => {
  const family = address.includes(':') ? 6 : 4;
  const team = new EgressProxyFactory(
    folder,
    () => undefined,
    () => Promise.resolve([{ address, family }]),
    true,
  );
  const literal = family === 6 ? `[${address}]` : address;
  const names = ['localhost', 'metadata.google.internal', 'api.example.com'].map((name) => `${name}:${port}`);
  for (const hosts of [['*'], [...names, `${literal}:${port}`]]) {
    const proxy = await team.open('s', hosts);
    onTestFinished(() => proxy.close());
    for (const host of [...names, `${literal}:${port}`])
      expect([host, await say(proxy.socket, connect(host))]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 403 /)]);
  }
});

test('counts private and public addresses as others, and those of the interfaces as own', () => {
  expect(['10.1.2.3', '192.168.1.1', 'fd12:3456::1', '93.184.215.14'].map(isOwnAddress)).toEqual(Array(4).fill(false));
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  expect(own.filter((address) => !isOwnAddress(address))).toEqual([]);
});

test('reports a host name that cannot be resolved', async () => {
  const door = await addresses.open('s', ['nobody.example']);
  expect(await say(door.socket, connect('nobody.example:443'))).toMatch(/^HTTP\/1\.1 502 .*could not be found/s);
  door.close();
});

test('removes the socket of a killed core and keeps that of a running one', async () => {
  const [dead, living] = ['door-4194305-0', `door-${process.ppid}-0`].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  for (const file of [dead, living]) writeFileSync(file, '');
  const door = await new EgressProxyFactory(folder, () => undefined).open('s', ['a.example']);
  expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
  door.close();
});

const env = { PATH: process.env['PATH'] ?? '' };
const problem = await sandboxUnavailableReason(env);
const python = await findCommand('python3', env);
const isTooOld =
  python === undefined || spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status !== 0;

// As in a container: only its own loopback network, and the socket at the expected path.
test.skipIf(problem !== undefined).each(isTooOld ? ['npx'] : ['npx', 'uvx'])(
  'connects a container with %s to the proxy, and passes on stdio, exit code and signals',
  async (program) => {
    const door = await addresses.open('s', [`localhost:${port}`], true);
    onTestFinished(() => door.close());
    expect(statSync(door.socket).mode & 0o777).toBe(0o666);
    const way = routeByProgram(program, [`localhost:${port}`]);
    const box = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
    const mount = ['--tmpfs', '/run', '--dir', dirname(proxySocketInside), '--ro-bind', door.socket, proxySocketInside];
    const inside = (script: string): ChildProcess => {
      const own = [process.execPath, '-e', script, '--', 'a word'];
      return spawn('bwrap', [...box, ...mount, '--', ...(way?.command ?? []), ...own], {
        env: { ...env, ...way?.env },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
    };
    const asking = inside(`
      process.stdin.once('data', async (said) => {
        const line = require('node:net').connect(3128, '127.0.0.1');
        line.write('GET http://localhost:${port}/ HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n');
        console.log(String(said).trim(), process.argv[1], String(Buffer.concat(await line.toArray())).split('\\n').at(-1));
        process.exit(7);
      });
    `);
    asking.stdin?.write('hello\n');
    const [said, ended] = await Promise.all([text(asking.stdout as Readable), once(asking, 'exit')]);
    expect([said.trim(), ...(ended as unknown[])]).toEqual(['hello a word GET localhost', 7, null]);
    const waiting = inside(
      `process.on('SIGTERM', () => process.exit(9)); console.log('up'); setInterval(() => {}, 1000);`,
    );
    await once(waiting.stdout as Readable, 'data');
    const [first] = childrenOf(waiting.pid ?? 0).flatMap(childrenOf);
    if (first === undefined) throw new Error('Nothing runs in the box.');
    process.kill(first, 'SIGTERM');
    expect((await once(waiting, 'exit'))[0]).toBe(9);
  },
);

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

test('has no route for an image of another program', () => {
  expect(routeByProgram('some-program', ['a.example'])).toBeUndefined();
});
