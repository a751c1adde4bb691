/** `tooltray remove NAME`: removes a server from the config file, and its sign-in. */
import { removalMessage, secretsOnlyUsedBy } from '../../core/admin/server-cleanup.ts';
import { toAppError } from '../../core/base/errors.ts';
import type { ConfigStore } from '../../core/config/config-store.ts';
import { removeServer } from '../../core/config/edit-config.ts';
import { createServerSandboxes } from '../../core/servers/launch/sandbox/server-sandboxes.ts';
import { cliPaths, openCliConfig, serverNames, unknownServer, updateServer } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { signOutLocally } from '../sign-out-local.ts';
import { runningCoreFor } from '../core-access.ts';
import { oneLine, printResult } from '../terminal.ts';

export const remove = command({
  words: 'NAME',
  flags: commonFlags,
  async run({ config, json }, [name = '']) {
    const store = await openCliConfig(config);
    const sentence = (await removeInCore(store, name, config)) ?? (await removeHere(store, name));
    printResult(json, { name, file: store.path, changed: true, sentence }, () => [
      oneLine(sentence),
      `Backup: ${store.path}.bak`,
    ]);
    return 0;
  },
});

/** Uses the running core, because its vault is unlocked. Resolves to undefined if none runs with this config. */
async function removeInCore(store: ConfigStore, name: string, config: string | undefined): Promise<string | undefined> {
  const core = await runningCoreFor(config);
  if (core === undefined) return undefined;
  try {
    return (await core.ask('removeServer', { server: name })).sentence;
  } catch (error) {
    throw toAppError(error).code === 'server_not_found' ? unknownServer(name, serverNames(store)) : error;
  } finally {
    await core.close();
  }
}

async function removeHere(store: ConfigStore, name: string): Promise<string> {
  const server = store.current.servers.find((one) => one.name === name);
  await updateServer(store, name, removeServer);
  await createServerSandboxes(cliPaths(), store.path).removeHomes(name);
  const how = server && (await signOutLocally([server])).get(server.name);
  return removalMessage(server?.name ?? name, how, secretsOnlyUsedBy(server, store.current));
}
