/** For programs that cannot send a token: a URL that forwards every request with the tests' token. */
import { createServer, request as dial } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { teamToken } from './start-replica.ts';

/** Returns the URL to use instead of `url`; stopped with the test. */
export async function withToken(url: string): Promise<string> {
  const target = new URL(url);
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const { hostname: host, port } = target;
    const onward = dial({ host, port, method, path, headers: { ...headers, authorization: `Bearer ${teamToken}` } });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders).flushHeaders();
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`;
}
