/**
 * A free port of 127.0.0.1, below the range that systems use for ephemeral ports, so that a server can restart on the
 * same port.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Above the ports blocked by browsers, below every system's ephemeral range. */
const [lowest, beyond] = [11_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, beyond);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
