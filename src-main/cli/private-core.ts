/** Opens a core in this process: a listening one, or a private one for a single command. */
import { resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { requireMode } from '../core/modes/mode-registry.ts';
import { CoreHost } from '../host/core-host.ts';
import { requireReadable } from '../host/open-config.ts';
import { dispatchRpc } from '../rpc/dispatch-rpc.ts';
import type { CoreAccess } from '../rpc/contract.ts';
import { ManualRuns } from '../core/calls/manual-runs.ts';
import { noApps } from '../rpc/deps.ts';
import { bundleFile, exitOnSignal } from './process-context.ts';

interface CoreFlags {
  readonly config: string | undefined;
  readonly mode?: string | undefined;
  readonly port?: number | undefined;
  readonly insecureNoAuth?: boolean;
  readonly persistentLink?: boolean;
  /** False for the private core of a command. */
  readonly createsConfig?: boolean;
}

/** `onStop` is called when a client asks the core to stop. Rejects with AppError, for example `mode_unknown`. */
export function openHost(given: CoreFlags, onStop: () => void): Promise<CoreHost> {
  const { config, mode, port, createsConfig, insecureNoAuth = false, persistentLink = false } = given;
  if (mode !== undefined) requireMode(mode);
  return CoreHost.open({
    env: process.env,
    version: packageJson.version,
    configFile: config === undefined ? undefined : resolve(config),
    mode,
    port,
    askToken: !insecureNoAuth,
    keepKey: persistentLink,
    createsConfig,
    onStop,
    pageRoot: bundleFile('renderer'),
  });
}

/**
 * Rejects with AppError `config_not_found` or `config_invalid`. Its servers stop with `close`, or with this process.
 */
export async function openPrivateCore(config: string | undefined): Promise<CoreAccess> {
  exitOnSignal();
  const host = await openHost({ config, createsConfig: false }, () => undefined);
  const { core, addresses } = host;
  try {
    requireReadable(core.context.config);
  } catch (error) {
    await host.stop();
    throw error;
  }
  const runs = new ManualRuns({
    steps: core.calls.stages,
    version: core.context.version,
    endSession: (id) => core.servers.manager.endSession(id),
  });
  const deps = { ...core, addresses: () => addresses, stop: () => undefined, desktop: undefined, apps: noApps, runs };
  const signal = new AbortController().signal;
  const started = core.start();
  await Promise.race([started, core.starting]);
  return {
    ask: async (method, input) => await dispatchRpc(method, input, deps, signal),
    async close() {
      await host.stop();
      await started.catch(() => undefined);
    },
  };
}
