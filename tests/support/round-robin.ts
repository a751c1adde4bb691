/**
 * A balancer as simple as there can be, or HAProxy where `npm run test:team` asks for it: each request to the next replica, as its client sent
 * it, with the tests' token where it says none. What no connection came about for goes to the next one; what was sent is never sent again.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as dial, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { freePort } from '../../scripts/team/engines/free-port.ts';
import { startHaproxy } from '../../scripts/team/engines/haproxy.ts';
import { takesSystem } from '../../scripts/team/engines/system.ts';
import { teamToken } from './start-replica.ts';

export interface RoundRobin {
  readonly url: string;
  /** How many requests each replica was given, in their order. */
  given(): Promise<readonly number[]>;
}

/** Where it looks whether a replica is to be given requests. */
type Look = '/readyz' | '/healthz';
/** As often as HAProxy does here, in ms. */
const lookMs = 1_000;

/** Ends with the test. `ports`: of this machine. */
export async function roundRobin(ports: readonly number[], look?: Look): Promise<RoundRobin> {
  const opened = await openRoundRobin(ports, await freePort(), teamToken, look);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** At this port; `token`: what is added where a request has none. */
export async function openRoundRobin(
  ports: readonly number[],
  port: number,
  token?: string,
  look: Look = '/healthz',
): Promise<RoundRobin & AsyncDisposable> {
  return takesSystem('haproxy') ? haproxy(ports, port, token, look) : ownRoundRobin(ports, port, token, look);
}

async function haproxy(
  ports: readonly number[],
  port: number,
  token: string | undefined,
  look: Look,
): Promise<RoundRobin & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-haproxy-'));
  const balancer = await startHaproxy({
    ...{ folder, port, look, ...(token !== undefined && { token }) },
    replicas: ports.map((each) => `127.0.0.1:${each}`),
  });
  return {
    url: `${balancer.url}/mcp`,
    given: () => balancer.given(),
    [Symbol.asyncDispose]: async () => {
      await balancer.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ownRoundRobin(
  ports: readonly number[],
  port: number,
  token: string | undefined,
  look: Look,
): Promise<RoundRobin & AsyncDisposable> {
  const given = ports.map(() => 0);
  /** Those that said no when they were looked at. */
  const out = new Set<number>();
  const looking = setInterval(() => {
    for (const port of ports)
      void fetch(`http://127.0.0.1:${port}${look}`).then(
        ({ ok }) => (ok ? out.delete(port) : out.add(port)),
        () => out.add(port),
      );
  }, lookMs);
  let next = 0;
  const server = createServer((request, response) => {
    // Whoever asked went away before it was asked.
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const first = next++;
    // What a test says of its own is what it tests.
    if (token !== undefined) request.headers.authorization ??= `Bearer ${token}`;
    for (let tries = 0; tries < ports.length; tries++) {
      const at = (first + tries) % ports.length;
      if (out.has(ports[at] ?? 0)) continue;
      if (await passOn(ports[at] ?? 0, request, body, response)) {
        given[at] = (given[at] ?? 0) + 1;
        return;
      }
    }
    response.writeHead(503).end();
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    given: () => Promise.resolve(given),
    [Symbol.asyncDispose]: async () => {
      clearInterval(looking);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether a connection came about; resolves as soon as that is known. */
function passOn(port: number, from: IncomingMessage, body: Buffer, response: ServerResponse): Promise<boolean> {
  const { method, url: path, headers } = from;
  return new Promise((resolve) => {
    const onward = dial({
      ...{ host: '127.0.0.1', port, method, path, agent: false },
      headers,
    });
    let isConnected = false;
    onward.on('socket', (socket) => {
      socket.once('connect', () => {
        isConnected = true;
        resolve(true);
      });
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      // A stream begins before its first event.
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => {
      if (isConnected) response.destroy();
      else resolve(false);
    });
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
}
