/** `tooltray env`: shows by name which of the user's variables each server receives, and allows more. */
import { serverVariables, type ServerVariables } from '../../../core/admin/environment-source.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import { setServerField } from '../../../core/config/edit-config.ts';
import type { ConfigStore } from '../../../core/config/config-store.ts';
import { EnvironmentResolver } from '../../../core/servers/launch/resolve-environment.ts';
import { AppError } from '../../../core/base/errors.ts';
import { openCliConfig, serverNames, unknownServer, updateServer } from '../../cli-config.ts';
import { runningCoreFor } from '../../core-access.ts';
import { command, commonFlags } from '../../command.ts';
import { oneLine, paint, printResult, table } from '../../terminal.ts';

export const env = command({
  words: '[NAME]',
  flags: {
    allow: { value: 'V,…', help: 'Pass these variables in addition to the common ones' },
    all: { isInstead: true, help: 'Pass all environment variables' },
    ...commonFlags,
  },
  notes: ['Values are never shown.'],
  async run({ allow, all, config, json }, [name]) {
    const store = await openCliConfig(config);
    if (allow !== undefined || all) return change(store, name, allow, all, json);
    const variables = await variablesOf(store, config);
    const shown = name === undefined ? variables : variables.filter(({ server }) => server === name);
    if (name !== undefined && shown.length === 0) {
      if (!serverNames(store).includes(name)) throw unknownServer(name, serverNames(store));
      throw new AppError('bad_request', `${name} is not a local command and has no environment.`);
    }
    printResult(json, { servers: shown }, () => (name === undefined ? overview(shown) : shown.flatMap(one)));
    return 0;
  },
});

/** Variables of the running core: the desktop app's servers do not receive those of this terminal. */
async function variablesOf(store: ConfigStore, config: string | undefined): Promise<readonly ServerVariables[]> {
  const core = await runningCoreFor(config);
  if (core !== undefined) {
    try {
      return (await core.ask('variables', {})).servers;
    } finally {
      await core.close();
    }
  }
  return serverVariables(store.current.servers, new EnvironmentResolver({ own: process.env }));
}

async function change(
  store: ConfigStore,
  name: string | undefined,
  allow: string | undefined,
  all: boolean,
  json: boolean,
): Promise<number> {
  if (name === undefined) throw new AppError('bad_request', 'Missing server name.');
  const names = (allow ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const inheritEnv = all ? 'all' : [...new Set(names)];
  await updateServer(store, name, (text, server) => setServerField(text, server, 'inheritEnv', inheritEnv));
  const what = all ? 'all environment variables' : names.length === 0 ? 'only the common variables' : names.join(', ');
  printResult(json, { name, file: store.path, inheritEnv }, () => [
    `${oneLine(name)} inherits ${oneLine(what)} from its next start.`,
  ]);
  return 0;
}

const kinds: Readonly<Record<ServerVariables['gets'], string>> = {
  all: 'all (configured)',
  named: 'common',
};

function overview(servers: readonly ServerVariables[]): string[] {
  if (servers.length === 0) return ['No local servers.'];
  const rows = servers.map(({ server, gets, given, withheld }) => [
    oneLine(server),
    paint(gets === 'named' ? 'good' : 'unsure', kinds[gets]),
    String(given.length),
    String(gets === 'named' ? withheld.length : 0),
  ]);
  return table(['SERVER', 'INHERITS', 'PASSED', 'WITHHELD'], rows);
}

function one({ server, gets, given, withheld }: ServerVariables): string[] {
  const head = `${oneLine(server)} gets ${formatCount(given.length, 'variable')}${gets === 'named' ? '' : `, ${kinds[gets]}`}:`;
  const rest = gets === 'named' ? 'Withheld:' : 'Would be withheld with the default setting:';
  return [
    head,
    `  ${oneLine(given.join(', '))}`,
    ...(withheld.length === 0 ? [] : [rest, `  ${oneLine(withheld.join(', '))}`]),
  ];
}
