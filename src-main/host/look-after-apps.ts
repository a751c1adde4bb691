/** Client apps of this machine, looked after by a core that runs: entries that no longer start Tooltray are mended at once. */
import type { Aggregator } from '../core/aggregator.ts';
import { tryEntry } from '../core/admin/try-entry.ts';
import { errorText } from '../core/base/errors.ts';
import type { Log } from '../core/base/log.ts';
import type { AppSetup, AppSetupParts } from '../rpc/app-setup.ts';
import { openAppSetup } from './open-app-setup.ts';

/** Answers before anything is mended: nobody waits for that, and it may fail without harm. */
export function lookAfterApps(core: Aggregator, access: AppSetupParts['access']): AppSetup {
  const { config, paths, env, version, log } = core.options;
  const apps = openAppSetup({
    env,
    paths,
    config: () => config.current,
    add: (servers) => core.edits.addAll(servers),
    remove: (servers) => core.edits.removeThere(servers),
    access,
    tryEntry: (entry) => tryEntry(entry, { config, transports: core.transports, version }),
  });
  void mend(apps, log);
  return apps;
}

async function mend(apps: AppSetup, log: Log): Promise<void> {
  try {
    const mended = await apps.repair(({ app }, error) =>
      log.warn(`The entry in ${app.name} could not be mended: ${errorText(error)}`),
    );
    for (const name of mended) log.info(`The entry in ${name} starts Tooltray again.`);
  } catch (error) {
    log.warn(errorText(error));
  }
}
