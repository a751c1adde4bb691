/** HAProxy in front of replicas, where it is installed: round robin, no affinity, one that does not answer to a look gets nothing. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ended } from './ended.ts';
import { programPath } from './system.ts';

export interface Balancer {
  readonly url: string;
  /** How many requests each replica was given, in their order. */
  given(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

export interface BalancerOptions {
  readonly folder: string;
  readonly port: number;
  /** `host:port` of each. */
  readonly replicas: readonly string[];
  /** Where it looks whether a replica is to be given requests; /readyz by default. */
  readonly look?: '/readyz' | '/healthz';
  /** Sent along where a client says nothing of its own (tests). */
  readonly token?: string;
}

export function hasHaproxy(): boolean {
  return programPath('haproxy') !== undefined;
}

/** It is up, and knows of a replica, when this resolves. */
export async function startHaproxy(options: BalancerOptions): Promise<Balancer> {
  const { folder, port, replicas, look = '/readyz' } = options;
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
      await fetch(`${url}${look}`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, given: () => givenTo(socket, replicas.length), stop: () => ended(child, 'SIGTERM') };
}

/** From its table of statistics, as it tells it at its socket. */
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

function config({ port, replicas, look = '/readyz', token }: BalancerOptions, socket: string): string {
  const sent = `http-request set-header Authorization "Bearer ${token}" unless { req.hdr(Authorization) -m found }`;
  return `
global
  stats socket ${socket} mode 600
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
  # A call that reached a replica may have run: it is never sent again.
  retries 2
  retry-on conn-failure
  option redispatch
frontend team
  bind 127.0.0.1:${port}
  option forwardfor
  ${token === undefined ? '' : sent}
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET ${look}
  default-server check inter 1s fall 2 rise 1
${replicas.map((address, at) => `  server r${at + 1} ${address}`).join('\n')}
`;
}
