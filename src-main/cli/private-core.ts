/** A core of our own for the time of one command: it listens nowhere. */
import { CoreHost } from '../host/core-host.ts';
import { answerRpc } from '../rpc/answer-rpc.ts';
import { noApps } from '../rpc/no-apps.ts';
import type { CoreAccess } from './core-access.ts';
import { exitOnSignal } from './exit-on-signal.ts';
import { hostOptions, readHostArguments } from './host-options.ts';
import { requireReadable } from './require-readable.ts';

/** Rejects with AppError config_not_found or config_invalid. Its servers end with `close`, or with our process. */
export async function openPrivateCore(config: string | undefined): Promise<CoreAccess> {
  exitOnSignal();
  const given = readHostArguments(config === undefined ? [] : ['--config', config]);
  const host = await CoreHost.open(hostOptions(given, () => undefined));
  const { core, doors } = host;
  try {
    requireReadable(core.options.config);
  } catch (error) {
    await host.stop();
    throw error;
  }
  const deps = { core, doors: () => doors, stop: () => undefined, desktop: undefined, apps: noApps };
  const signal = new AbortController().signal;
  const started = core.start();
  await Promise.race([started, known(host)]);
  return {
    ask: async (method, input) => await answerRpc(method, input, deps, signal),
    async close() {
      await host.stop();
      await started.catch(() => undefined);
    },
  };
}

/** Resolves once the servers of the config are there to be asked about, started or not. */
function known({ core }: CoreHost): Promise<void> {
  return new Promise((resolve) => {
    const off = core.servers.listingChanged.on(() => {
      off();
      resolve();
    });
  });
}
