/**
 * What a sandboxed server can access, tested with a server that tries everything, compared with the same server
 * without a sandbox.
 */
import { execFileSync } from 'node:child_process';
import dgram from 'node:dgram';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { openWorld, ways } from '../support/escapes.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';

/** Without a sandbox, only its absence can be tested. */
const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });

const folder = mkdtempSync(join(tmpdir(), 'tooltray-isolation-'));
const secret = join(homedir(), `.tooltray-probe-${process.pid}`);
const [allowed, readable, foreign] = ['allowed', 'readable', 'foreign'].map((name) => {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'file.txt'), `text of ${name}`);
  return join(folder, name);
}) as [string, string, string];

const tcp = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
const udp = dgram.createSocket('udp4');
const unix = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
const heard: string[] = [];

beforeAll(async () => {
  writeFileSync(secret, 'the key');
  udp.on('message', (message) => heard.push(message.toString()));
  await Promise.all([
    new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => unix.listen(join(folder, 'other.sock'), resolve)),
  ]);
});

afterAll(() => {
  for (const server of [tcp, udp, unix]) server.close();
  rmSync(secret, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

const prober = fixture('prober', allowed);
const servers = {
  plain: prober,
  boxed: { ...prober, isolation: { mode: 'sandbox', read: [readable] } },
  online: { ...prober, isolation: { mode: 'sandbox', network: true, write: [] } },
};

type ProbeOf = (server: keyof typeof servers, tool: string, args?: object) => Promise<string>;

async function withProbe(config: TestConfig, work: (probe: ProbeOf, core: TestCore) => Promise<void>): Promise<void> {
  await using core = await startCore(
    { ...config, dataFlow: 'off', mode: 'dispatch' },
    { env: { PLANTED_API_KEY: 'sk-1' } },
  );
  const client = await core.open();
  await work(async (server, tool, args = {}) => {
    const request = { name: 'proxy-dispatch', arguments: { action: 'call', connection: server, tool, args } };
    const { content } = (await client.request('tools/call', request)) as { content: { text: string }[] };
    return content[0]?.text ?? '';
  }, core);
}

const refused = /^no: /;

describe.skipIf(problem !== undefined)('in a sandbox', () => {
  test('reads and writes its own files and allowed paths, and nothing else on the disk', () =>
    withProbe({ servers }, async (probe, core) => {
      const read = (server: keyof typeof servers, path: string): Promise<string> => probe(server, 'read', { path });
      expect(await read('plain', secret)).toBe('the key');
      expect(await read('boxed', secret)).toMatch(refused);
      expect(await read('boxed', join(foreign, 'file.txt'))).toMatch(refused);
      expect(await read('boxed', join(readable, 'file.txt'))).toBe('text of readable');
      expect(await read('boxed', join(allowed, 'file.txt'))).toBe('text of allowed');
      expect(await read('online', join(allowed, 'file.txt'))).toMatch(refused);
      for (const path of [join(readable, 'new.txt'), '/usr/new.txt', '/etc/new.txt', join(foreign, 'new.txt')]) {
        expect(await probe('boxed', 'write', { path })).toMatch(refused);
        expect(existsSync(path)).toBe(false);
      }
      expect(await probe('boxed', 'write', { path: join(allowed, 'new.txt') })).toBe('written');
      expect(readFileSync(join(allowed, 'new.txt'), 'utf8')).toBe('written by the prober');
      // Its home persists, and is separate from the user's.
      const mine = join(homedir(), `kept-${process.pid}.txt`);
      expect(await probe('boxed', 'write', { path: mine })).toBe('written');
      expect(await read('boxed', mine)).toContain('written');
      expect(existsSync(mine)).toBe(false);
      expect(await read('online', mine)).toMatch(refused);
      for (const path of [
        core.configFile,
        join(core.home, 'run', 'token'),
        join(core.home, 'data', 'audit', 'head.json'),
      ]) {
        expect(existsSync(path)).toBe(true);
        expect(await read('boxed', path)).toMatch(refused);
      }
    }));

  test('has no way out except those that its entry names; without a sandbox all of them are open', async () => {
    const hosts = { ...prober, isolation: { mode: 'sandbox', network: ['api.example.com'], write: [] } };
    await using world = await openWorld();
    await withProbe({ servers: { ...servers, hosts } }, async (probe, core) => {
      const tried = async (server: string): Promise<string[]> => {
        const found = await world.tried(core, (tool, args) => probe(server as 'plain', tool, args));
        return ways.filter((way) => found[way]);
      };
      // Tracing depends on the system's settings, and a server never gets a key that it was not given.
      const usual = ways.filter((way) => !['ptrace of another process', 'a key in the environment'].includes(way));
      expect(await tried('plain')).toEqual(expect.arrayContaining(usual));
      expect(await tried('boxed')).toEqual([]);
      expect(await tried('online')).toEqual(['TCP', 'UDP']);
      if (existsSync('/usr/bin/socat')) expect(await tried('hosts')).toEqual([]);
    });
  });

  test('reaches no network unless allowed, by any protocol', () =>
    withProbe({ servers }, async (probe, core) => {
      const at = { host: '127.0.0.1', port: (tcp.address() as net.AddressInfo).port };
      const udpAt = { host: '127.0.0.1', port: udp.address().port };
      expect(await probe('plain', 'tcp', at)).toBe('connected');
      expect(await probe('boxed', 'tcp', at)).toMatch(refused);
      expect(await probe('online', 'tcp', at)).toBe('connected');
      await probe('boxed', 'udp', udpAt);
      await probe('plain', 'udp', udpAt);
      await expect.poll(() => heard.length).toBe(1);
      expect(await probe('boxed', 'lookup', { name: 'example.com' })).toMatch(refused);
      for (const path of [join(folder, 'other.sock'), core.host.paths.socketPath]) {
        expect(await probe('plain', 'unix', { path })).toBe('connected');
        expect(await probe('boxed', 'unix', { path })).toMatch(refused);
        expect(await probe('online', 'unix', { path })).toMatch(refused);
      }
    }));

  test('sees no other process, gets no privileges, and none of the variables', () =>
    withProbe({ servers }, async (probe) => {
      expect(await probe('plain', 'signal', { pid: process.pid })).toBe('there');
      expect(await probe('boxed', 'signal', { pid: process.pid })).toMatch(refused);
      expect(await probe('boxed', 'read', { path: `/proc/${process.pid}/environ` })).toMatch(refused);
      const status = await probe('boxed', 'read', { path: '/proc/self/status' });
      expect(status).toMatch(/CapEff:\s+0+\n/);
      expect(status).toMatch(/CapBnd:\s+0+\n/);
      expect(await probe('boxed', 'run', { command: 'mount', args: ['-o', 'remount,rw', '/usr'] })).toMatch(refused);
      const env = JSON.parse(await probe('boxed', 'env')) as Record<string, string>;
      expect(env).not.toHaveProperty('PLANTED_API_KEY');
      expect(env).not.toHaveProperty('XDG_RUNTIME_DIR');
    }));

  test("ends a process that left the server's group with the server", async () => {
    const clock = join(allowed, 'clock');
    await withProbe({ servers }, async (probe, core) => {
      expect(await probe('boxed', 'daemon', { path: clock })).toContain('started');
      await expect.poll(() => existsSync(clock)).toBe(true);
      await core.server('boxed').retry();
      await expect.poll(() => core.server('boxed').state.kind).toBe('ready');
      rmSync(clock);
      await sleep(500);
      expect(existsSync(clock)).toBe(false);
    });
  });

  test('rejects a folder that contains the config file, because writing it could start anything', async () => {
    const home = mkdtempSync(join(tmpdir(), 'tooltray-inside-'));
    const inside = { ...fixture('prober', home), isolation: { mode: 'sandbox' } };
    const linked = { ...fixture('prober'), isolation: { mode: 'sandbox', read: [`${home}-link`] } };
    symlinkSync(home, `${home}-link`);
    await using core = await startCore({ servers: { inside, linked } }, { home });
    for (const name of ['inside', 'linked']) {
      const { state } = core.server(name);
      expect('error' in state && state.error).toMatchObject({ code: 'config_invalid' });
    }
    for (const path of [home, `${home}-link`]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });

  test.each(['/', '/proc', join(folder, 'not-there')])(
    'rejects %s as an allowed path with the reason',
    async (path) => {
      const server = { ...fixture('prober'), isolation: { mode: 'sandbox', write: [path] } };
      await using core = await startCore({ servers: { s: server } });
      const { state } = core.server('s');
      expect('error' in state && state.error?.text).toContain(path);
    },
  );
});

test('without bubblewrap, "sandbox" does not start and says why, and "auto" starts', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const [sandbox, auto] = ['sandbox', 'auto'].map((mode) => ({ ...fixture('prober'), isolation: mode }));
  await using core = await startCore(
    { servers: { sandbox, auto } as TestConfig['servers'] },
    { env: { PATH: bin, TERM: 'dumb' } },
  );
  const { state } = core.server('sandbox');
  expect('error' in state && state.error).toMatchObject({
    code: 'server_not_started',
    text: expect.stringMatching(/bubblewrap is not installed|on Linux only/) as string,
    fix: expect.stringContaining('tooltray sandbox sandbox none') as string,
  });
  expect(core.server('auto').state.kind).toBe('ready');
});

test.runIf(problem === undefined)('leaves no sandbox process once the core has stopped', () => {
  const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  expect(left.filter((line) => line.includes('bwrap --args') && line.includes(folder))).toEqual([]);
});
