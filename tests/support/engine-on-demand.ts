/** An engine that all tests of a run share, started when the first one asks for it. Set up in the process that runs the tests. */
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

/** `variable`: of the environment, where tests find whom to ask. Answers what ends it. */
export async function engineOnDemand(
  variable: string,
  start: (folder: string) => Promise<Engine>,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-engine-'));
  // Where tests run as root, PostgreSQL is another user, who has to come through.
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

/** Its address; starts it where nobody has yet. */
export async function engineUrl(variable: string): Promise<string> {
  const { url, error } = JSON.parse(await text(dial(process.env[variable] ?? ''))) as Record<string, string>;
  if (url === undefined) throw new Error(error);
  return url;
}
