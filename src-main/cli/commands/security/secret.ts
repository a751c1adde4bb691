/**
 * `tooltray secret`: manages keys and passwords for servers, encrypted in the vault, and where the vault key is stored.
 */
import { toAppError } from '../../../core/base/errors.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { CoreAccess, FoundSecret, RpcMethods, SecretMethods, VaultStatus } from '../../../rpc/contract.ts';
import { openAnyConfig, openCliConfig, unknownServer, serverNames } from '../../cli-config.ts';
import { command, commonFlags, usageError } from '../../command.ts';
import { runningCoreFor } from '../../core-access.ts';
import { backupCopyLines, openLocalSecrets } from '../../local-secrets.ts';
import { oneLine, paint, printResult, readSecret, table } from '../../terminal.ts';

const places = ['keychain', 'passphrase', 'file'] as const;

export const secret = command({
  actions: {
    list: { help: 'List secrets and the servers that use them (default)' },
    set: { words: 'NAME', help: 'Set a secret; prompts for the value or reads stdin' },
    rm: { words: 'NAME', help: 'Delete a secret' },
    move: { words: '[SERVER]', help: 'Move secrets from the configuration file to the vault' },
    key: {
      words: '[PLACE]',
      help: 'Show the vault key location; with PLACE (keychain, passphrase, file), move it',
    },
    unlock: { help: 'Unlock the vault of the running Tooltray' },
  },
  usual: 'list',
  flags: {
    dryRun: { help: 'move: preview' },
    new: { help: 'key: create a new key if the old one is lost' },
    ...commonFlags,
  },
  notes: [
    'Reference secrets as ${secret:NAME} in env, args, headers and url. Resolved when a server starts.',
    'Passphrase: prompted, from stdin, $TOOLTRAY_VAULT_PASSPHRASE or $TOOLTRAY_VAULT_PASSPHRASE_FILE.',
  ],
  async run({ dryRun, new: begin, config, json }, [word], action) {
    await withSecretService(config, async (ask) => {
      if (action === 'list') await list(ask, json);
      else if (action === 'set') await set(ask, word ?? '', json);
      else if (action === 'rm') await remove(ask, word ?? '', json);
      else if (action === 'move') await move(ask, word, dryRun, json);
      else if (action === 'unlock') await unlock(ask, json);
      else await key(ask, word, begin, json);
    });
    return 0;
  },
});

type SecretsMethod = keyof SecretMethods;
type CallSecrets = <M extends SecretsMethod>(
  method: M,
  input: RpcMethods[M]['input'],
) => Promise<RpcMethods[M]['output']>;

/** Uses the running core, so that its servers pick up the change; opens the vault directly if no core is running. */
async function withSecretService(config: string | undefined, work: (ask: CallSecrets) => Promise<void>): Promise<void> {
  const core: CoreAccess | undefined = await runningCoreFor(config);
  if (core === undefined) return work(await localSecretHandlers(config));
  try {
    await work((method, input) => core.ask(method, input));
  } finally {
    await core.close();
  }
}

async function localSecretHandlers(config: string | undefined): Promise<CallSecrets> {
  const store = await (config === undefined ? openAnyConfig(config) : openCliConfig(config));
  const service = openLocalSecrets(store);
  const withServerCheck = async <T>(server: string | undefined, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const isUnknown = server !== undefined && toAppError(error).code === 'server_not_found';
      throw isUnknown ? unknownServer(server, serverNames(store)) : error;
    }
  };
  const handlers: {
    readonly [M in SecretsMethod]: (input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;
  } = {
    secrets: () => service.list(),
    setSecret: ({ name, value }) => service.set(name, value),
    removeSecret: ({ name }) => service.remove(name),
    plaintextSecrets: ({ server }) => withServerCheck(server, async () => ({ found: await service.findPlain(server) })),
    moveSecrets: ({ server }) => withServerCheck(server, () => service.sealConfig(server)),
    unlockVault: ({ passphrase }) => service.unlock(passphrase),
    moveVaultKey: ({ place, passphrase, begin = false }) => service.moveKey(place, passphrase, begin),
  };
  return (method, input) => handlers[method](input);
}

async function list(ask: CallSecrets, json: boolean): Promise<void> {
  const { secrets, vault } = await ask('secrets', {});
  printResult(json, { secrets, vault }, () => [
    ...(secrets.length === 0
      ? [
          'No secrets. Set one with "tooltray secret set NAME", or move those in the config with "tooltray secret move".',
        ]
      : table(
          ['NAME', 'UPDATED', 'SERVERS'],
          secrets.map(({ name, changedAt, servers }) => [
            oneLine(name),
            changedAt === undefined ? paint('bad', 'missing') : new Date(changedAt).toISOString().slice(0, 10),
            oneLine(servers.join(', ')),
          ]),
        )),
    '',
    statusLine(vault),
  ]);
}

async function set(ask: CallSecrets, name: string, json: boolean): Promise<void> {
  const answer = await ask('setSecret', { name, value: await readSecret(`Value of ${oneLine(name)}:`) });
  printResult(json, answer, () => [`Set ${oneLine(answer.name)}.${usedBy(answer.servers)}`]);
}

function usedBy(servers: readonly string[]): string {
  return servers.length === 0 ? '' : ` Used by: ${oneLine(servers.join(', '))}.`;
}

async function remove(ask: CallSecrets, name: string, json: boolean): Promise<void> {
  const { removed, servers } = await ask('removeSecret', { name });
  const missing = servers.length === 0 ? '' : ` Servers that need it: ${oneLine(servers.join(', '))}.`;
  printResult(json, { name, removed, servers }, () => [
    removed ? `Deleted ${oneLine(name)}.${missing}` : `Secret ${oneLine(name)} not found.`,
  ]);
}

async function move(ask: CallSecrets, server: string | undefined, dryRun: boolean, json: boolean): Promise<void> {
  const input = server === undefined ? {} : { server };
  if (dryRun) {
    const { found } = await ask('plaintextSecrets', input);
    printResult(json, { found }, () =>
      found.length === 0
        ? [nothingFound]
        : [`${formatCount(found.length, 'value')} would be moved:`, ...found.map(line)],
    );
    return;
  }
  const { moved, copies } = await ask('moveSecrets', input);
  printResult(json, { moved, copies }, () =>
    moved.length === 0
      ? [nothingFound]
      : [`Moved ${formatCount(moved.length, 'value')} into the vault:`, ...moved.map(line), ...backupCopyLines(copies)],
  );
}

const nothingFound = 'No secrets found in the configuration file.';

function line({ server, where, name }: FoundSecret): string {
  return `  ${oneLine(server)}, ${oneLine(where)}: \${secret:${name}}`;
}

async function unlock(ask: CallSecrets, json: boolean): Promise<void> {
  const vault = await ask('unlockVault', { passphrase: await readSecret('Passphrase:') });
  printResult(json, { vault }, () => [statusLine(vault)]);
}

async function key(ask: CallSecrets, place: string | undefined, begin: boolean, json: boolean): Promise<void> {
  const validPlace = places.find((one) => one === place);
  if (place !== undefined && validPlace === undefined) throw usageError(`PLACE must be one of: ${places.join(', ')}`);
  const vault =
    validPlace === undefined
      ? (await ask('secrets', {})).vault
      : await ask('moveVaultKey', {
          place: validPlace,
          begin,
          ...(validPlace === 'passphrase' && (await newPassphrase())),
        });
  printResult(json, { vault }, () => [statusLine(vault)]);
}

async function newPassphrase(): Promise<{ readonly passphrase: string }> {
  const passphrase = await readSecret('New passphrase:');
  const again = process.stdin.isTTY ? await readSecret('Repeat passphrase:') : passphrase;
  if (passphrase !== again) throw usageError('passphrases do not match');
  return { passphrase };
}

function statusLine({ state, sentence }: VaultStatus): string {
  return state === 'locked' ? paint('bad', oneLine(sentence)) : paint('quiet', oneLine(sentence));
}
