/**
 * `tooltray sandbox`: shows which sandbox each server runs in and what it can access; enables or disables a sandbox.
 */
import { AppError } from '../../../core/base/errors.ts';
import { isObject } from '../../../core/base/json.ts';
import type { StdioServerConfig } from '../../../core/config/server-config.ts';
import type { ConfigStore } from '../../../core/config/config-store.ts';
import { setServerField, rawField } from '../../../core/config/edit-config.ts';
import { createServerSandboxes } from '../../../core/servers/launch/sandbox/server-sandboxes.ts';
import { EnvironmentResolver } from '../../../core/servers/launch/resolve-environment.ts';
import { describeIsolation } from '../../../core/trust/inbox/describe-isolation.ts';
import { cliPaths, openCliConfig, serverNames, unknownServer, updateServer } from '../../cli-config.ts';
import { command, commonFlags } from '../../command.ts';
import { oneLine, paint, printResult } from '../../terminal.ts';

/** Maps the values of the command line to those of the config. */
const kinds = { auto: 'auto', bubblewrap: 'sandbox', container: 'container', none: 'none' } as const;

export const sandbox = command({
  words: '[NAME] [auto|bubblewrap|container|none]',
  flags: {
    read: { value: 'PATH', many: true, help: 'Allow reading a path (repeatable)' },
    write: { value: 'PATH', many: true, help: 'Allow writing a path (repeatable; default: paths in its arguments)' },
    network: { help: 'Allow network access' },
    allowHost: {
      value: 'HOST',
      many: true,
      help: 'Allow only this host (repeatable; *.example.com for subdomains)',
    },
    noNetwork: { isInstead: true, help: 'Deny network access' },
    image: { value: 'IMAGE', help: 'Container image' },
    ...commonFlags,
  },
  notes: [
    'Without a kind, shows the current sandbox. A sandboxed server can only access its own files and what you allow.',
  ],
  async run({ read, write, network, noNetwork, allowHost, image, config, json }, [name, kind]) {
    const store = await openCliConfig(config);
    if (name !== undefined && !serverNames(store).includes(name)) throw unknownServer(name, serverNames(store));
    if (name === undefined || kind === undefined) return show(store, name, json);
    if (!Object.hasOwn(kinds, kind)) {
      throw new AppError('bad_request', `${JSON.stringify(kind)} is not a sandbox.`, {
        fix: `Use one of: ${Object.keys(kinds).join(', ')}.`,
      });
    }
    const mode = kinds[kind as keyof typeof kinds];
    const given = {
      ...(read.length > 0 && { read }),
      ...(write.length > 0 && { write }),
      ...((network || noNetwork) && { network }),
      ...(allowHost.length > 0 && { network: allowHost }),
      ...(image !== undefined && { image }),
    };
    await updateServer(store, name, (text, server) => {
      const written = rawField(text, server, 'isolation');
      // MCPProxy's separate switch would contradict the mode.
      const { enabled: _, ...others } = isObject(written) ? written : {};
      const box = mode === 'none' ? { ...others, mode } : { ...others, mode, ...given };
      const cleared =
        rawField(text, server, 'sandboxEnabled') === true
          ? setServerField(text, server, 'sandboxEnabled', false)
          : text;
      return setServerField(cleared, server, 'isolation', Object.keys(box).length === 1 ? mode : box);
    });
    const boxes = createServerSandboxes(cliPaths(), store.path);
    await boxes.agreeAgain(name);
    await boxes.agree(store.current.servers);
    return show(store, name, json);
  },
});

async function show(store: ConfigStore, name: string | undefined, json: boolean): Promise<number> {
  const started = store.current.servers.filter((server): server is StdioServerConfig => server.kind === 'stdio');
  const shown = started.filter((server) => name === undefined || server.name === name);
  const environment = await new EnvironmentResolver({ own: process.env }).resolve();
  const problem = await createServerSandboxes(cliPaths(), store.path).sandboxProblem(environment);
  const servers = shown.map(({ name: server, isolate: box }) => ({
    server,
    runs: box?.kind ?? 'none',
    reach: box === undefined ? ['Not isolated: has all permissions of your user account.'] : describeIsolation(box),
  }));
  printResult(json, { servers, sandbox: problem === undefined, ...(problem !== undefined && { problem }) }, () => [
    ...servers.flatMap(({ server, runs, reach }) => [
      `${oneLine(server)}: ${paint(runs === 'none' ? 'unsure' : 'good', runs)}`,
      ...reach.map((sentence) => `  ${oneLine(sentence)}`),
    ]),
    ...(servers.length === 0 ? ['No local servers.'] : []),
    ...(problem === undefined ? [] : ['', `Sandbox not available: ${problem}`]),
  ]);
  return 0;
}
