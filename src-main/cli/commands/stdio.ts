/**
 * `tooltray stdio` in the cases that do not start the shim directly: `--standalone`, or ToolMux flags.
 * stdout carries MCP messages only.
 */
import type { ShimArgs } from '../../shim/run-shim.ts';
import { Console } from 'node:console';
import { StreamTransport } from '../../core/wire/stream-transport.ts';
import { command, configFlag, modeFlag } from '../command.ts';
import { openHost } from '../private-core.ts';
import { bundleFile, handleSignals } from '../process-context.ts';

export const stdio = command({
  flags: {
    app: { value: 'NAME', help: 'Client app ID' },
    mode: modeFlag,
    profile: { value: 'NAME', help: 'Limit the session to a profile' },
    server: { value: 'NAME', help: 'Serve one server alone, with its own tool names' },
    config: configFlag,
    standalone: { help: 'Run servers in this process instead of the shared Tooltray' },
  },
  run: ({ standalone, ...given }) => (standalone ? serveAlone(given) : runAsShim(given)),
});

async function serveAlone(given: ShimArgs): Promise<number> {
  // Redirects stray console output away from stdout, where it would corrupt the protocol.
  globalThis.console = new Console(process.stderr);
  const { app, mode, profile, server } = given;
  const ended = Promise.withResolvers<void>();
  const host = await openHost(given, ended.resolve);
  handleSignals(host, ended.resolve);
  process.on('unhandledRejection', (error) => host.log.error('Unexpected rejection', { error }));
  host.repairEntries();
  const started = host.core.start();
  try {
    host.gate.admit(app);
    // Servers are registered before the first request and start during the MCP initialize handshake.
    const transport = new StreamTransport(process.stdin, process.stdout, { respondsFirst: true });
    await host.serve(transport, { app, mode, profile, server }, { credential: { kind: 'own line' } }, ended.resolve);
    await ended.promise;
  } finally {
    await host.stop();
    await started.catch(() => undefined);
  }
  return 0;
}

async function runAsShim(given: ShimArgs): Promise<number> {
  const { runShim } = await import('../../shim/run-shim.ts');
  const args = Object.entries<string | undefined>({ ...given }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  return runShim(args, bundleFile('cli.js'));
}
