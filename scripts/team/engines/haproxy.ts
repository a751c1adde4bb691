/** HAProxy as a load balancer, if it is installed, with the config from docs/team. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ended } from './ended.ts';
import { programPath } from './system.ts';

export interface Balancer {
  readonly url: string;
  /** Number of requests sent to each replica, in order. */
  given(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

export interface BalancerOptions {
  readonly folder: string;
  readonly port: number;
  /** `host:port` of each. */
  readonly replicas: readonly string[];
}

export function hasHaproxy(): boolean {
  return programPath('haproxy') !== undefined;
}

/** Resolves when it is running and knows of a replica. */
export async function startHaproxy(options: BalancerOptions): Promise<Balancer> {
  const { folder, port, replicas } = options;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'haproxy.cfg');
  const socket = join(folder, 'stats');
  writeFileSync(file, config(options, socket));
  const child = spawn(programPath('haproxy') ?? 'haproxy', ['-db', '-f', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said = `${said}${piece}`.slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}: ${said}`);
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, given: () => givenTo(socket, replicas.length), stop: () => ended(child, 'SIGTERM') };
}

/** From its statistics socket. */
async function givenTo(socket: string, count: number): Promise<readonly number[]> {
  const line = connect(socket);
  line.write('show stat\n');
  const [head = '', ...rows] = (await text(line)).trim().split('\n');
  const names = head.replace(/^# /, '').split(',');
  const fields = rows.map((row) => row.split(','));
  return Array.from({ length: count }, (_, at) => {
    const row = fields.find((each) => each[names.indexOf('svname')] === `r${at + 1}`);
    return Number(row?.[names.indexOf('stot')] ?? 0);
  });
}

const shipped = new URL('../../../docs/team/haproxy.cfg', import.meta.url);

/** The shipped config with another listen address, replicas, and a statistics socket. */
function config({ port, replicas }: BalancerOptions, socket: string): string {
  const servers = replicas.map((address, at) => `  server r${at + 1} ${address} check inter 1s fall 2 rise 1`);
  return readFileSync(shipped, 'utf8')
    .replace('global\n', `global\n  stats socket ${socket} mode 600\n`)
    .replace(/^resolvers dns\n(?: .*\n)*/m, '')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^ {2}server-template .*$/m, servers.join('\n'));
}
