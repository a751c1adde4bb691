/** What looks after client apps, for the time of a command; beside a running Tooltray, which finds out by the files. */
import { tryEntry } from '../core/admin/try-entry.ts';
import { addServer, removeServer } from '../core/config/edit-config.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { openAppSetup } from '../host/open-app-setup.ts';
import type { AppSetup } from '../rpc/app-setup.ts';
import packageJson from '../../package.json' with { type: 'json' };
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
    remove: (names) => store.update((text) => names.reduce(removeServer, text)),
    tryEntry: (entry) =>
      leavingNoCore(() =>
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

/** What an app starts brings a core with it; one that ran only for the trial ends with it. */
async function leavingNoCore<T>(trial: () => Promise<T>): Promise<T> {
  const before = await findRunningCore();
  await before?.close();
  try {
    return await trial();
  } finally {
    if (before === undefined) await stopCore();
  }
}

async function stopCore(): Promise<void> {
  const core = await findRunningCore();
  // It hangs up while it answers.
  await core?.ask('stop', {}).catch(() => undefined);
  await core?.close();
}
