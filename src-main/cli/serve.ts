/** `tooltray serve`: the core without Electron, until it is told to stop. */
import { CoreHost } from '../host/core-host.ts';
import { hostOptions, readHostArguments } from './host-options.ts';
import { welcome } from './welcome.ts';

export async function run(args: readonly string[]): Promise<number> {
  const given = readHostArguments(args);
  const stopped = Promise.withResolvers<void>();
  const host = await CoreHost.open(hostOptions(given, stopped.resolve));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve());
  // A mistake in one session must not end everybody's; it is the log's to tell.
  process.on('uncaughtException', (error) => host.log.error('Unexpected error', { error }));
  process.on('unhandledRejection', (error) => host.log.error('Unexpected rejection', { error }));
  try {
    await host.listen();
    const started = host.core.start();
    if (!given.background) {
      process.stdout.write(welcome(host, given));
      void started.then(() => process.stdout.write(`${summary(host)}\n`));
    }
    await stopped.promise;
  } finally {
    await host.stop();
  }
  return 0;
}

function summary(host: CoreHost): string {
  const { all } = host.core.servers;
  const ready = all.filter((server) => server.state.kind === 'ready');
  const ill = all.filter(({ health }) => health.level === 'error' || health.level === 'attention');
  const lines = ill.map((server) => `  ${server.config.name}: ${server.health.detail}`);
  return [
    `${ready.length} of ${all.length} servers ready, ${host.core.catalog.current.tools.length} tools.`,
    ...lines,
  ].join('\n');
}
