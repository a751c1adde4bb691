/** `tooltray stdio --standalone`: a private core inside the client app's own process, on stdin and stdout. */
import { CoreHost } from '../host/core-host.ts';
import { StreamTransport } from '../core/wire/stream-transport.ts';
import { hostOptions, readHostArguments } from './host-options.ts';

export async function run(args: readonly string[]): Promise<number> {
  const given = readHostArguments(args);
  const ended = Promise.withResolvers<void>();
  const host = await CoreHost.open(hostOptions(given, ended.resolve));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.resolve());
  const started = host.core.start();
  // The servers are known before the first question can be asked, and start while the client app introduces itself.
  await host.serve(
    new StreamTransport(process.stdin, process.stdout),
    { app: given.app, mode: given.mode },
    'stdio',
    ended.resolve,
  );
  await ended.promise;
  await host.stop();
  await started.catch(() => undefined);
  return 0;
}
