/** What looks after client apps, for the time of a command; beside a running Tooltray, which finds out by the files. */
import { tryEntry } from '../core/admin/try-entry.ts';
import { addServer, hasServer, removeServer } from '../core/config/edit-config.ts';
import { type OwnAddress, ownAddress } from '../core/client-apps/own-address.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { openAppAccess } from '../host/open-app-access.ts';
import { openAppSetup } from '../host/open-app-setup.ts';
import type { AppSetup } from '../rpc/app-setup.ts';
import { coreCommand } from '../shim/core-command.ts';
import { startCore } from '../shim/start-core.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { bundleFile } from './host-options.ts';
import { cliPaths, openCliConfig } from './open-cli-config.ts';
import { withTransports } from './probe-server.ts';
import { findRunningCore } from './running-core.ts';

/** `config` is what `--config` said. Ended when `work` is done. */
export async function withApps<T>(
  config: string | undefined,
  work: (apps: AppSetup, store: ConfigStore) => Promise<T>,
): Promise<T> {
  const store = await openCliConfig(config);
  const apps = openAppSetup({
    env: process.env,
    paths: cliPaths(),
    config: () => store.current,
    add: (servers) =>
      store.update((text) => servers.reduce((edited, { name, entry }) => addServer(edited, name, entry), text)),
    remove: async (names) => {
      let gone: readonly string[] = [];
      await store.update((text) => {
        gone = names.filter((name) => hasServer(text, name));
        return gone.reduce(removeServer, text);
      });
      return gone;
    },
    cwd: process.cwd(),
    access: { store: openAppAccess(cliPaths()), address: () => addressNow(store) },
    tryEntry: (entry) =>
      leavingNoCore('url' in entry ? store.path : undefined, () =>
        withTransports(store.current, (transports) =>
          tryEntry(entry, { config: store, transports, version: packageJson.version }),
        ),
      ),
  });
  try {
    return await work(apps, store);
  } finally {
    await apps.close();
  }
}

async function addressNow(store: ConfigStore): Promise<OwnAddress | undefined> {
  const core = await findRunningCore();
  const http = core === undefined ? undefined : (await core.ask('state', {})).http;
  await core?.close();
  return ownAddress(http, store.current.port);
}

/**
 * What an app starts brings a core with it, and an address needs one, with the config that is named then; one that runs only for
 * the trial ends with it.
 */
async function leavingNoCore<T>(config: string | undefined, trial: () => Promise<T>): Promise<T> {
  const before = await findRunningCore();
  await before?.close();
  try {
    if (before === undefined && config !== undefined) await runCore(config);
    return await trial();
  } finally {
    if (before === undefined) await stopCore();
  }
}

async function runCore(config: string): Promise<void> {
  const start = { ...coreCommand(bundleFile('cli.js'), config), runDir: cliPaths().runDir };
  const core = await startCore(start, findRunningCore, new AbortController().signal);
  await core.close();
}

async function stopCore(): Promise<void> {
  const core = await findRunningCore();
  // It hangs up while it answers.
  await core?.ask('stop', {}).catch(() => undefined);
  await core?.close();
}
