/**
 * `tooltray stdio` when it is not the shim at once: a private core, or flags in ToolMux's way. stdout carries MCP
 * frames alone.
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
  // A package that prints something by mistake must not do it between two frames.
  globalThis.console = new Console(process.stderr);
  const { app, mode, profile, server } = given;
  const ended = Promise.withResolvers<void>();
  const host = await openHost(given, ended.resolve);
  handleSignals(host, ended.resolve);
  host.repairEntries();
  const started = host.core.start();
  try {
    host.gate.admit(app);
    // The servers are known before the first question can be asked, and start while the client app introduces itself.
    const line = new StreamTransport(process.stdin, process.stdout, { respondsFirst: true });
    await host.serve(line, { app, mode, profile, server }, { credential: { kind: 'own line' } }, ended.resolve);
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
