/** `tooltray serve`: the core without Electron, until it is told to stop. */
import { readFileSync } from 'node:fs';
import { AppError } from '../core/base/errors.ts';
import { CoreHost } from '../host/core-host.ts';
import { pageKeyFile } from '../rpc/page-key.ts';
import { cliPaths } from './open-cli-config.ts';
import { findRunningCore } from './running-core.ts';
import { type HostArguments, hostOptions, readHostArguments } from './host-options.ts';
import { oneLine } from './plain-text.ts';
import { reloadOnHangup } from './reload-on-hangup.ts';
import { welcome } from './welcome.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const given = readHostArguments(args, form);
  await refuseSecond(given);
  const stopped = Promise.withResolvers<void>();
  const host = await CoreHost.open(hostOptions(given, stopped.resolve));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.resolve());
  reloadOnHangup(host, stopped.resolve);
  // A mistake in one session must not end everybody's; it is the log's to tell.
  process.on('uncaughtException', (error) => host.log.error('Unexpected error', { error }));
  process.on('unhandledRejection', (error) => host.log.error('Unexpected rejection', { error }));
  try {
    await host.listen();
    const started = host.core.start();
    announce(host, given, started);
    await stopped.promise;
  } finally {
    await host.stop();
  }
  return 0;
}

/** The socket would refuse as well, but could not say which Tooltray has it. */
async function refuseSecond(given: HostArguments): Promise<void> {
  const core = await findRunningCore();
  if (core === undefined) return;
  const { http, socket, home } = await core.ask('state', {});
  await core.close();
  throw new AppError(
    'already_running',
    `Another Tooltray of yours is already running at ${http || socket}, with ${home}.`,
    {
      fix: `Use that one${dashboardOf(http, given)}, stop it first, or set TOOLTRAY_HOME to run a second one with its own settings.`,
      data: { http, socket, config: home },
    },
  );
}

/** For a person at a terminal, who may have lost the first one's link; output that goes to a file is given no key. */
function dashboardOf(http: string, { background, json }: HostArguments): string {
  if (http === '' || background || json) return '';
  const key = readFileSync(pageKeyFile(cliPaths().runDir), 'utf8');
  return ` (its dashboard: ${new URL('/', http).href}#key=${key})`;
}

function announce(host: CoreHost, given: HostArguments, started: Promise<void>): void {
  if (given.json) process.stdout.write(`${JSON.stringify(facts(host))}\n`);
  else if (!given.background) {
    process.stdout.write(welcome(host, given));
    void started.then(() => process.stdout.write(`${summary(host)}\n`));
  }
}

function facts({ doors, core, paths }: CoreHost): Record<string, unknown> {
  return {
    http: doors.http,
    ...(doors.httpProblem !== '' && { httpProblem: doors.httpProblem }),
    socket: doors.socket,
    pid: process.pid,
    config: core.options.config.path,
    tokenFile: paths.tokenFile,
  };
}

function summary({ core }: CoreHost): string {
  const { all } = core.servers;
  const { masker } = core.options;
  const ready = all.filter((server) => server.state.kind === 'ready');
  const ill = all.filter(({ health }) => health.level === 'error' || health.level === 'attention');
  const lines = ill.map(({ config, health }) => `  ${config.name}: ${oneLine(masker.maskText(health.detail))}`);
  return [`${ready.length} of ${all.length} servers ready, ${core.catalog.current.tools.length} tools.`, ...lines].join(
    '\n',
  );
}
