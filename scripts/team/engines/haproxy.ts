/** HAProxy in front of replicas, where it is installed: round robin, no affinity, one that does not answer /readyz gets nothing. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

export function hasHaproxy(): boolean {
  return spawnSync(program(), ['-v'], { stdio: 'ignore' }).status === 0;
}

/** `replicas`: `host:port` of each. It is up when this resolves. */
export async function startHaproxy(folder: string, port: number, replicas: readonly string[]): Promise<Balancer> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, config(port, replicas));
  const child = spawn(program(), ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4000)));
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
  return {
    url,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function config(port: number, replicas: readonly string[]): string {
  return `
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
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 1s fall 2 rise 1
${replicas.map((address, at) => `  server r${at + 1} ${address}`).join('\n')}
`;
}

function program(): string {
  // Debian keeps it where only root looks.
  return process.env['PATH']?.includes('/usr/sbin') === true ? 'haproxy' : '/usr/sbin/haproxy';
}
