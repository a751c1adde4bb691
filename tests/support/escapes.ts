/**
 * Every way out of a sandbox that a server could try, tried by the fixture `prober`; the same list for each kind of
 * sandbox, and for none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import dgram from 'node:dgram';
import net from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestCore } from './start-core.ts';

/** Calls a tool of the prober; `no: …` if it was refused. */
export type Probe = (tool: string, args?: object) => Promise<string>;

export interface World extends AsyncDisposable {
  /** Whether each way succeeded, by name. */
  tried(core: TestCore, probe: Probe): Promise<Record<Way, boolean>>;
}

export const ways = [
  'a key file of the user',
  'a foreign folder',
  'what another server keeps',
  'our config',
  'our token',
  'our audit',
  'TCP',
  'UDP',
  'a Unix socket',
  'our socket',
  'a signal to another process',
  'ptrace of another process',
  'the environment of another process',
  'a key in the environment',
] as const;

export type Way = (typeof ways)[number];

/** Targets that a server must not access: files, sockets, and another process. */
export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-world-'));
  const key = join(homedir(), `.tooltray-key-${process.pid}`);
  writeFileSync(key, 'not for you');
  writeFileSync(join(folder, 'foreign.txt'), 'not for you');
  const heard: string[] = [];
  const [tcp, unix] = [0, 1].map(() => net.createServer((line) => line.on('error', () => undefined).end('hello'))) as [
    net.Server,
    net.Server,
  ];
  const udp = dgram.createSocket('udp4').on('message', (message) => heard.push(message.toString()));
  const listens = [once(tcp, 'listening'), once(unix, 'listening'), once(udp, 'listening')];
  tcp.listen(0, '127.0.0.1');
  unix.listen(join(folder, 'other.sock'));
  udp.bind(0, '127.0.0.1');
  await Promise.all(listens);
  const victim = spawn('sleep', ['600'], { stdio: 'ignore', env: { VICTIM_KEY: 'not for you' } });

  return {
    async tried(core, probe) {
      const kept = join(core.home, 'data', 'boxes', 'homes', 'another', 'kept.txt');
      mkdirSync(dirname(kept), { recursive: true });
      writeFileSync(kept, 'not for you');
      const reads = async (path: string): Promise<boolean> => !(await probe('read', { path })).startsWith('no: ');
      const reaches = async (tool: string, args: object): Promise<boolean> => (await probe(tool, args)) === 'connected';
      const port = (tcp.address() as net.AddressInfo).port;
      heard.length = 0;
      await probe('udp', { host: '127.0.0.1', port: udp.address().port });
      const attach = `import ctypes; print('attached' if ctypes.CDLL(None).ptrace(16, ${victim.pid}, 0, 0) == 0 else 'no')`;
      const found = {
        'a key file of the user': await reads(key),
        'a foreign folder': await reads(join(folder, 'foreign.txt')),
        'what another server keeps': await reads(kept),
        // Inside an allowed folder, an empty file is mounted in its place.
        'our config': (await probe('read', { path: core.configFile })).includes('servers'),
        'our token': await reads(join(core.home, 'run', 'token')),
        'our audit': await reads(join(core.home, 'data', 'audit', 'head.json')),
        TCP: await reaches('tcp', { host: '127.0.0.1', port }),
        'a Unix socket': await reaches('unix', { path: join(folder, 'other.sock') }),
        'our socket': await reaches('unix', { path: core.host.paths.socketPath }),
        'a signal to another process': (await probe('signal', { pid: victim.pid })) === 'there',
        'ptrace of another process': (await probe('run', { command: 'python3', args: ['-c', attach] })).startsWith(
          'attached',
        ),
        'the environment of another process': (await probe('read', { path: `/proc/${victim.pid}/environ` })).includes(
          'not for',
        ),
        'a key in the environment': (await probe('env')).includes('PLANTED_API_KEY'),
        UDP: false,
      };
      // Packets on this computer arrive in much less time.
      await sleep(100);
      return { ...found, UDP: heard.length > 0 };
    },
    async [Symbol.asyncDispose]() {
      victim.kill('SIGKILL');
      await Promise.all([tcp, unix].map((server) => new Promise((resolve) => server.close(resolve))));
      udp.close();
      rmSync(key, { force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
