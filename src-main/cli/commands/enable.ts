/** `tooltray enable NAME`, `tooltray disable NAME`: enable or disable a server, keeping its entry. */
import { AppError } from '../../core/base/errors.ts';
import { pendingEditsId } from '../../core/config/config-approval.ts';
import type { ConfigStore } from '../../core/config/config-store.ts';
import { setServerField } from '../../core/config/edit-config.ts';
import { assertReviewed } from '../../core/config/server-holds.ts';
import { openCliConfig, updateServer } from '../cli-config.ts';
import { type Command, command, commonFlags } from '../command.ts';
import { printResult } from '../terminal.ts';

export const enable = switching(true);
export const disable = switching(false);

function switching(enabled: boolean): Command {
  const state = enabled ? 'enabled' : 'disabled';
  return command({
    words: 'NAME',
    flags: commonFlags,
    async run({ config, json }, [name = '']) {
      const store = await openCliConfig(config);
      const { servers } = store.current;
      if (enabled) assertReviewed(servers.find((server) => server.name === name));
      if (enabled) requireDecided(name, store);
      // Invalid entries are not listed; they are edited directly.
      const changed = servers.find((server) => server.name === name)?.enabled !== enabled;
      if (changed) await updateServer(store, name, (text) => setServerField(text, name, 'enabled', enabled));
      printResult(json, { name, file: store.path, changed }, () => [
        changed ? `${name} ${state}.` : `${name} is already ${state}.`,
      ]);
      return 0;
    },
  });
}

/** Refuses to enable an entry written by another program until the user has reviewed it. */
function requireDecided(name: string, { pendingEdits }: ConfigStore): void {
  if (!pendingEdits.some((edit) => edit.kind === 'entry' && edit.server === name)) return;
  throw new AppError('config_conflict', `${name} was changed outside Tooltray and is pending approval.`, {
    fix: `Review it with tooltray inbox, then approve it: tooltray inbox approve ${pendingEditsId(pendingEdits)}`,
  });
}
