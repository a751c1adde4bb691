/** An engine shared by all tests of a run, started on first use. Set up in the main process of the tests. */
import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { connect as dial, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';

interface Engine {
  readonly url: string;
  stop(): Promise<void>;
}

/** `variable`: environment variable with its URL. Returns a function that stops it. */
export async function engineOnDemand(
  variable: string,
  start: (folder: string) => Promise<Engine>,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-engine-'));
  // If tests run as root, PostgreSQL runs as another user, who needs access.
  await chmod(folder, 0o711);
  let started: Promise<Engine> | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    void (started ??= start(folder)).then(
      ({ url }) => socket.end(JSON.stringify({ url })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  const path = join(folder, 'ask');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  process.env[variable] = path;
  return async () => {
    server.close();
    await (await started?.catch(() => undefined))?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Its URL; starts it if necessary. */
export async function engineUrl(variable: string): Promise<string> {
  const { url, error } = JSON.parse(await text(dial(process.env[variable] ?? ''))) as Record<string, string>;
  if (url === undefined) throw new Error(error);
  return url;
}
