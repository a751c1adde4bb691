/**
 * The network of a box that may reach some hosts and no others: the box itself has none, but a door to a proxy of ours, which lets
 * through what the entry names and looks at where a name leads. Programs go there by the variables that programs know for proxies.
 */
import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createServer, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import type { PrepareRequestFunctionResult } from 'proxy-chain';
import { ensurePrivateDir } from '../../../base/app-paths.ts';
import { isRunning } from '../../../base/file-lock.ts';
import { addressKind, hostKind } from '../../network/address-kinds.ts';

/** Told when a server asks for what it may not reach, once for each host of a door. */
export type OnRefused = (server: string, host: string) => void;

/** All addresses of a name; rejects where there are none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The way out of one box. */
export interface HostDoor {
  /** A Unix socket. */
  readonly socket: string;
  close(): void;
}

/** Of one server, at a time. */
const mostConnections = 256;
const mostTold = 100;

/** Opens doors for the servers of one core. */
export class HostDoors {
  readonly #folder: string;
  readonly #onRefused: OnRefused;
  readonly #resolve: Resolve;
  #cleared: Promise<void> | undefined;

  /** `folder`: where sockets may lie, whose path is short enough for them. */
  constructor(folder: string, onRefused: OnRefused, resolve: Resolve = (host) => lookup(host, { all: true })) {
    this.#folder = folder;
    this.#onRefused = onRefused;
    this.#resolve = resolve;
  }

  /** Rejects with the system's error where it cannot listen. */
  async open(serverName: string, hosts: readonly string[]): Promise<HostDoor> {
    ensurePrivateDir(this.#folder);
    this.#cleared ??= removeLeft(this.#folder);
    await this.#cleared;
    // Only those who name hosts pay for it.
    const { RequestError, Server } = await import('proxy-chain');
    const agent = new Agent();
    const told = new Set<string>();
    const proxy = new Server({
      prepareRequestFunction: async ({ hostname, port: wanted }) => {
        const host = plainHost(hostname);
        try {
          return { dnsLookup: await wayTo(host, wanted, hosts, this.#resolve), httpAgent: agent };
        } catch (error) {
          const name = `${host}:${wanted}`;
          if (!told.has(name) && told.size < mostTold) this.#onRefused(serverName, name);
          told.add(name);
          throw error instanceof Refusal ? new RequestError(error.message, error.status) : error;
        }
      },
    });
    const server = createServer({ allowHalfOpen: true }, (line) => {
      // The proxy takes a connection without it for one that has ended.
      Object.defineProperty(line, 'remoteAddress', { value: 'unix' });
      proxy.server.emit('connection', line);
    });
    const socket = join(this.#folder, `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`);
    server.maxConnections = mostConnections;
    server.listen(socket);
    await once(server, 'listening');
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
}

/** Where a program in the box finds its way out; both are in the box alone. */
export const doorInside = '/run/tooltray/door';
const port = 3128;

/** What starts a program with its way out: the variables, and a command before its own that waits until there is a way. */
export function throughDoor(hosts: readonly string[]): {
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
} {
  const proxy = `http://127.0.0.1:${port}`;
  const own = hosts.some((host) => hostKind(nameAndPort(host).name) === 'loopback') ? '' : 'localhost,127.0.0.1,::1';
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const spelled = (name: string, value: string): [string, string][] => [
    [name, value],
    [name.toUpperCase(), value],
  ];
  const env = Object.fromEntries([...names.flatMap((name) => spelled(name, proxy)), ...spelled('no_proxy', own)]);
  // Node's own fetch asks for the variables only when it is told to.
  return { env: { ...env, NODE_USE_ENV_PROXY: '1' }, command: ['/bin/sh', '-c', waitForDoor, 'sh'] };
}

const isListening = `grep -q ':${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A' /proc/net/tcp`;
const waitForDoor = [
  `socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${doorInside} </dev/null >/dev/null 2>&1 &`,
  `tries=0; until ${isListening} || [ $tries -ge 200 ]; do tries=$((tries + 1)); sleep 0.01; done`,
  'exec "$@"',
].join('\n');

const prefix = 'door-';

/** Sockets of cores that were killed. */
async function removeLeft(folder: string): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter((name) => name.startsWith(prefix) && !isRunning(Number(name.split('-')[1])));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

/** With the status of its answer. */
class Refusal extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** How a host that is allowed is resolved: to what was looked at, and nothing else. Rejects with Refusal. */
async function wayTo(host: string, wanted: number, hosts: readonly string[], resolve: Resolve): Promise<Lookup> {
  if (!hosts.some((one) => isNamed(one, host, wanted))) {
    throw new Refusal(`This server may not reach ${host}:${wanted}. It may reach ${hosts.join(', ')}.`, 403);
  }
  // An address that was written down is what the person meant.
  const found = await resolve(host).catch(() => {
    throw new Refusal(`${host} could not be found.`, 502);
  });
  const isAsked = hostKind(host) !== undefined || ownNames.test(host);
  const [first, ...others] = found.filter(({ address }) => isAsked || addressKind(address) === 'public');
  if (first === undefined) {
    throw new Refusal(`${host} leads into a network of this computer, where its name does not belong.`, 403);
  }
  const known: LookupFunction = (_name, options, answer) => {
    if (options.all === true) answer(null, [first, ...others]);
    else answer(null, first.address, first.family);
  };
  // What sockets ask of it is less than what `dns.lookup` is.
  return known as Lookup;
}

type Lookup = NonNullable<PrepareRequestFunctionResult['dnsLookup']>;

/** Names that are given out within a network, not by the internet: RFC 6762, 8375, ICANN's `internal`, those of one part. */
const ownNames = /^[^.:]+$|\.(?:corp|home|home\.arpa|internal|intranet|lan|local|localdomain)$/;

/** `*.example.com` stands for what is below it; without a port it is that of http or https. */
function isNamed(written: string, host: string, wanted: number): boolean {
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
