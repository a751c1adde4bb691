/**
 * A port of 127.0.0.1 that nobody has at this moment. Below those that systems give to whoever asks for any, outgoing
 * connections too: what listens there, ends and listens there again finds it free.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Above the ones that browsers do not go to, below those of every system's own choice. */
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
