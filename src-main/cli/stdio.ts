/** `tooltray stdio` when it is not the shim at once: a private core, or flags in ToolMux's way. stdout carries MCP frames alone. */
import { Console } from 'node:console';
import { CoreHost } from '../host/core-host.ts';
import { StreamTransport } from '../core/wire/stream-transport.ts';
import { reloadOnHangup } from './reload-on-hangup.ts';
import { bundleFile, hostOptions, readHostArguments } from './host-options.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  if (!args.includes('--standalone')) return runAsShim(args);
  // A package that prints something by mistake must not do it between two frames.
  globalThis.console = new Console(process.stderr);
  const given = readHostArguments(args, form);
  const ended = Promise.withResolvers<void>();
  const host = await CoreHost.open(hostOptions(given, ended.resolve));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ended.resolve());
  reloadOnHangup(host, ended.resolve);
  process.on('unhandledRejection', (error) => host.log.error('Unexpected rejection', { error }));
  host.healServers();
  const started = host.core.start();
  try {
    host.gate.admit(given.app);
    // The servers are known before the first question can be asked, and start while the client app introduces itself.
    await host.serve(
      new StreamTransport(process.stdin, process.stdout),
      { app: given.app, mode: given.mode },
      'stdio',
      ended.resolve,
    );
    await ended.promise;
  } finally {
    await host.stop();
    await started.catch(() => undefined);
  }
  return 0;
}

async function runAsShim(args: readonly string[]): Promise<number> {
  const { runShim } = await import('../shim/run-shim.ts');
  return runShim(args, bundleFile('cli.js'));
}
