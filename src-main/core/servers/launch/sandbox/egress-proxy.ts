/**
 * Network access for sandboxes that may reach only certain hosts. The sandbox has no network of its own; it reaches a
 * proxy of Tooltray through a Unix socket. The proxy permits the hosts named in the entry and checks the addresses
 * they resolve to. Programs find it through the usual proxy variables.
 */
import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { chmod, readdir, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createServer, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import type { PrepareRequestFunctionResult } from 'proxy-chain';
import { ensurePrivateDir } from '../../../base/app-paths.ts';
import { isProcessRunning } from '../../../base/file-lock.ts';
import { addressKind, hostKind, isOwnAddress } from '../../network/address-kinds.ts';

/** Called when a server requests a host that is not permitted, once per host and proxy. */
export type OnRefused = (server: string, host: string) => void;

/** Resolves a name to all its addresses; rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The proxy of one sandbox. */
export interface EgressProxy {
  /** A Unix socket. */
  readonly socket: string;
  close(): void;
}

/** Maximum number of concurrent connections per server. */
const maxProxyConnections = 256;
const maxReportedHosts = 100;

/** Opens proxies for the servers of one core. */
export class EgressProxyFactory {
  readonly #folder: string;
  readonly #onRefused: OnRefused;
  readonly #resolve: Resolve;
  readonly #isTeam: boolean;
  #cleared: Promise<void> | undefined;

  /**
   * `folder`: for the sockets; its path must be short enough for a socket address. `isTeam`: the computer belongs to
   * none of the users, so that no server reaches its own addresses, whatever the entry names.
   */
  constructor(
    folder: string,
    onRefused: OnRefused,
    resolve: Resolve = (host) => lookup(host, { all: true }),
    isTeam = false,
  ) {
    this.#isTeam = isTeam;
    this.#folder = folder;
    this.#onRefused = onRefused;
    this.#resolve = resolve;
  }

  /**
   * `forOthers`: clients may be another user of this computer, as in a container; the folder still excludes all
   * others. Rejects with the system's error.
   */
  async open(serverName: string, hosts: readonly string[], forOthers = false): Promise<EgressProxy> {
    ensurePrivateDir(this.#folder);
    this.#cleared ??= removeLeft(this.#folder);
    await this.#cleared;
    // Imported only if an entry names hosts.
    const { RequestError, Server } = await import('proxy-chain');
    const agent = new Agent();
    const reported = new Set<string>();
    const proxy = new Server({
      prepareRequestFunction: async ({ hostname, port: wanted }) => {
        const host = plainHost(hostname);
        try {
          return { dnsLookup: await this.#wayTo(host, wanted, hosts), httpAgent: agent };
        } catch (error) {
          const name = `${host}:${wanted}`;
          if (!reported.has(name) && reported.size < maxReportedHosts) this.#onRefused(serverName, name);
          reported.add(name);
          throw error instanceof Refusal ? new RequestError(error.message, error.status) : error;
        }
      },
    });
    const server = createServer({ allowHalfOpen: true }, (line) => {
      // The proxy treats a connection without it as closed.
      Object.defineProperty(line, 'remoteAddress', { value: 'unix' });
      proxy.server.emit('connection', line);
    });
    const socket = join(this.#folder, `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`);
    server.maxConnections = maxProxyConnections;
    server.listen(socket);
    await once(server, 'listening');
    if (forOthers) await chmod(socket, 0o666);
    server.unref();
    return {
      socket,
      close: () => {
        server.close();
        proxy.closeConnections();
        agent.destroy();
      },
    };
  }

  /** Resolves a permitted host to checked addresses only. Rejects with Refusal. */
  async #wayTo(host: string, wanted: number, hosts: readonly string[]): Promise<Lookup> {
    if (!hosts.some((one) => isNamed(one, host, wanted))) {
      throw new Refusal(`This server is not allowed to access ${host}:${wanted}. Allowed: ${hosts.join(', ')}.`, 403);
    }
    const found = await this.#resolve(host).catch(() => {
      throw new Refusal(`${host} could not be found.`, 502);
    });
    // A literal address is what the user approved.
    const isRequested = hosts.includes(anyHost) || hostKind(host) !== undefined || ownNames.test(host);
    const [first, ...others] = found.filter(
      ({ address }) => !(this.#isTeam && isOwnAddress(address)) && (isRequested || addressKind(address) === 'public'),
    );
    if (first === undefined) {
      throw new Refusal(`${host} resolves to a private network address.`, 403);
    }
    const known: LookupFunction = (_name, options, answer) => {
      if (options.all === true) answer(null, [first, ...others]);
      else answer(null, first.address, first.family);
    };
    // Sockets need less than the type of `dns.lookup`.
    return known as Lookup;
  }
}

/** Matches every host and port. */
export const anyHost = '*';

/** The proxy's socket inside the sandbox. The socket and the port exist only there. */
export const proxySocketInside = '/run/tooltray/door';
const port = 3128;

/** Starts a program with access to the proxy. */
export interface ProxyRoute {
  /** Variables that tell programs the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Precedes the program: waits until the proxy is reachable. */
  readonly command: readonly string[];
}

/** Uses what a sandbox has: a shell, and socat of this computer. */
export function socatRoute(hosts: readonly string[]): ProxyRoute {
  return { env: proxyVariables(hosts), command: ['/bin/sh', '-c', waitForProxy, 'sh'] };
}

/** Uses the one program that an image is known to have; undefined if that program cannot do it. */
export function routeByProgram(program: string, hosts: readonly string[]): ProxyRoute | undefined {
  const env = proxyVariables(hosts);
  if (/^(?:node|npx|npm)$/.test(program)) return { env, command: ['node', '-e', forwardInNode, '--'] };
  if (/^(?:uvx?|python[\d.]*)$/.test(program)) return { env, command: ['python3', '-c', forwardInPython] };
  return undefined;
}

function proxyVariables(hosts: readonly string[]): ProxyRoute['env'] {
  const proxy = `http://127.0.0.1:${port}`;
  const own = hosts.some((host) => hostKind(nameAndPort(host).name) === 'loopback') ? '' : 'localhost,127.0.0.1,::1';
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const spelled = (name: string, value: string): [string, string][] => [
    [name, value],
    [name.toUpperCase(), value],
  ];
  const env = Object.fromEntries([...names.flatMap((name) => spelled(name, proxy)), ...spelled('no_proxy', own)]);
  // Node's own fetch uses the variables only with this option.
  return { ...env, NODE_USE_ENV_PROXY: '1' };
}

/** Also forwards signals: as process 1 of a container, it receives none without a handler. */
const forwardInNode = `
const net = require('node:net');
const listener = net.createServer({ allowHalfOpen: true }, (line) => {
  const door = net.connect({ path: '${proxySocketInside}', allowHalfOpen: true });
  line.pipe(door).pipe(line);
  line.on('error', () => door.destroy());
  door.on('error', () => line.destroy());
});
listener.listen(${port}, '127.0.0.1', () => {
  const [command, ...args] = process.argv.slice(1);
  const child = require('node:child_process').spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code) => process.exit(code ?? 1));
});
`;

const forwardInPython = `
import os, signal, socket, subprocess, sys, threading
def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            end.close()
def serve(line):
    door = socket.socket(socket.AF_UNIX)
    try:
        door.connect('${proxySocketInside}')
    except OSError:
        line.close()
        return
    threading.Thread(target=copy, args=(line, door), daemon=True).start()
    copy(door, line)
def accept():
    while True:
        line, _ = listener.accept()
        threading.Thread(target=serve, args=(line,), daemon=True).start()
listener = socket.create_server(('127.0.0.1', ${port}))
threading.Thread(target=accept, daemon=True).start()
child = subprocess.Popen(sys.argv[1:])
for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(name, lambda number, _: child.send_signal(number))
os._exit(max(child.wait(), 0))
`;

const isListening = `grep -q ':${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A' /proc/net/tcp`;
const waitForProxy = [
  `socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${proxySocketInside} </dev/null >/dev/null 2>&1 &`,
  `tries=0; until ${isListening} || [ $tries -ge 200 ]; do tries=$((tries + 1)); sleep 0.01; done`,
  'exec "$@"',
].join('\n');

const prefix = 'door-';

/** Removes sockets of cores that were killed. */
async function removeLeft(folder: string): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter((name) => name.startsWith(prefix) && !isProcessRunning(Number(name.split('-')[1])));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

/** Carries the HTTP status of the refusal. */
class Refusal extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

type Lookup = NonNullable<PrepareRequestFunctionResult['dnsLookup']>;

/** Names assigned within a network, not by the internet: RFC 6762, 8375, ICANN's `internal`, and names of one part. */
const ownNames = /^[^.:]+$|\.(?:corp|home|home\.arpa|internal|intranet|lan|local|localdomain)$/;

/** `*.example.com` matches subdomains; without a port, the ports of http and https match. */
function isNamed(written: string, host: string, wanted: number): boolean {
  if (written === anyHost) return true;
  const { name, only } = nameAndPort(written);
  const isPort = only === undefined ? wanted === 80 || wanted === 443 : Number(only) === wanted;
  return isPort && (name.startsWith('*.') ? host.endsWith(plainHost(name.slice(1))) : host === plainHost(name));
}

function nameAndPort(written: string): { readonly name: string; readonly only: string | undefined } {
  const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(written) ?? [];
  return { name, only };
}

function plainHost(name: string): string {
  const bare = name.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return (domainToASCII(bare) || bare).toLowerCase();
}
