/** A balancer as simple as there can be: each request to the next replica, as its client sent it but for the token, which it adds. */
import { createServer, request as dial } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { teamToken } from './start-replica.ts';

export interface RoundRobin {
  readonly url: string;
  /** How many requests each replica was given, in their order. */
  readonly given: readonly number[];
}

/** Ends with the test. */
export async function roundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const given = ports.map(() => 0);
  let next = 0;
  const server = createServer((request, response) => {
    const at = next++ % ports.length;
    given[at] = (given[at] ?? 0) + 1;
    const { method, url: path, headers } = request;
    // What a test says of its own is what it tests.
    const authorization = headers.authorization ?? `Bearer ${teamToken}`;
    const onward = dial({
      ...{ host: '127.0.0.1', port: ports[at], method, path, agent: false },
      headers: { ...headers, authorization },
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      // A stream begins before its first event.
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, given };
}
