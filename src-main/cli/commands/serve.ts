/** `tooltray serve`: runs the core without Electron until SIGINT or SIGTERM. */
import { formatCount } from '../../core/base/text-format.ts';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../core/base/errors.ts';
import { requireMode } from '../../core/modes/mode-registry.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import type { CoreHost } from '../../host/core-host.ts';
import { pageKeyFile } from '../../rpc/page-key.ts';
import { cliPaths } from '../cli-config.ts';
import { command, configFlag, type ParsedFlags, modeFlag } from '../command.ts';
import { findRunningCore } from '../core-access.ts';
import { openHost } from '../private-core.ts';
import { bundleFile, handleSignals } from '../process-context.ts';
import { jsonText, oneLine } from '../terminal.ts';

const flags = {
  config: configFlag,
  mode: modeFlag,
  port: { value: 'N', from: 0, to: 65_535, help: 'HTTP port on 127.0.0.1; 0 for any free port' },
  noOpen: { help: 'No effect (compatibility)' },
  insecureNoAuth: { help: 'Disable authentication (testing only)' },
  persistentLink: { help: 'Keep the dashboard link across restarts' },
  background: { help: 'Write only to the log' },
  json: { help: 'Print connection details as JSON once listening' },
} as const;

type ServeFlags = ParsedFlags<typeof flags>;

/** Maximum wait for servers before printing the summary, in ms; slower ones are listed as starting. */
const maxSummaryWaitMs = 3_000;

export const serve = command({
  flags,
  async run(given) {
    if (given.mode !== undefined) requireMode(given.mode);
    await refuseSecondInstance(given);
    const stopped = Promise.withResolvers<void>();
    const host = await openHost(given, stopped.resolve);
    handleSignals(host, stopped.resolve);
    // An uncaught error in one session must not end the others; it is logged.
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
  },
});

/** Runs before the socket is bound, because a failed bind could not name the running instance. */
async function refuseSecondInstance(given: ServeFlags): Promise<void> {
  const core = await findRunningCore();
  if (core === undefined) return;
  const { http, socket, home } = await core.ask('state', {});
  await core.close();
  throw new AppError('already_running', `Tooltray is already running at ${http || socket} (config ${home}).`, {
    fix: `Use it${dashboardOf(http, given)}, stop it first, or set TOOLTRAY_HOME to run a separate instance.`,
    data: { http, socket, config: home },
  });
}

/** Omitted in the background and with `--json`, because it contains the key. */
function dashboardOf(http: string, { background, json }: ServeFlags): string {
  if (http === '' || background || json) return '';
  const key = readFileSync(pageKeyFile(cliPaths().runDir), 'utf8').trim();
  return ` (dashboard: ${new URL('/', http).href}#key=${key})`;
}

function announce(host: CoreHost, given: ServeFlags, started: Promise<void>): void {
  if (given.json) process.stdout.write(`${jsonText(connectionDetails(host))}\n`);
  else if (!given.background) {
    process.stdout.write(startupText(host, given));
    void announceServers(host, started);
  }
}

/** Prints the link last, on its own line: after a short wait, and again once all servers have started or failed. */
async function announceServers(host: CoreHost, started: Promise<void>): Promise<void> {
  const print = (line: string): void => void process.stdout.write(`${line}\n\n${host.pageUrl}\n`);
  const isStarted = await Promise.race([started.then(() => true), delay(maxSummaryWaitMs, false, { ref: false })]);
  if (!isStarted) print('Servers are starting …');
  await started;
  print(summary(host));
}

function connectionDetails({ addresses, core, paths }: CoreHost): Record<string, unknown> {
  return {
    http: addresses.http,
    ...(addresses.httpProblem !== '' && { httpProblem: addresses.httpProblem }),
    socket: addresses.socket,
    pid: process.pid,
    config: core.context.config.path,
    tokenFile: paths.tokenFile,
  };
}

function summary({ core }: CoreHost): string {
  const { all } = core.servers.manager;
  const { masker } = core.context;
  const ready = all.filter((server) => server.state.kind === 'ready');
  const lines = all.flatMap((server) => {
    const trouble = errorOf(server);
    return trouble === undefined ? [] : [`  ${server.config.name}: ${oneLine(masker.maskText(trouble))}`];
  });
  return [
    `${ready.length} of ${formatCount(all.length, 'server')} ready, ${formatCount(core.calls.catalog.current.tools.length, 'tool')}.`,
    ...lines,
  ].join('\n');
}

/** Returns the server's current error; while the server is retried, the last one. */
function errorOf({ config, health, state }: ManagedServer): string | undefined {
  if (health.level === 'error' || health.level === 'attention') return health.detail;
  return 'error' in state ? state.error?.text.replace(`${config.name}: `, '') : undefined;
}

/** Returns the listen address, the servers, and how to connect client apps. */
function startupText(host: CoreHost, { insecureNoAuth, mode }: ServeFlags): string {
  const { http, socket, httpProblem } = host.addresses;
  const { current, problems } = host.core.context.config;
  const header = insecureNoAuth ? '' : ` --header "Authorization: Bearer $(cat ${quote(host.paths.tokenFile)})"`;
  const cli = bundleFile('cli.js');
  const shim = `${quote(process.execPath)} ${quote(cli)} stdio`;
  const names = current.servers.map((server) => server.name).join(', ') || 'none';
  return [
    `Tooltray listening on ${http} and ${socket}`,
    ...(httpProblem === '' ? [] : [`! ${httpProblem}`]),
    `Config     ${current.path}`,
    `Servers    ${names}`,
    `Mode       ${mode ?? current.mode}`,
    '',
    'Connect a client app:',
    `  Claude Code    claude mcp add -s user tooltray -- ${shim} --app claude-code`,
    `  Cursor, others {"mcpServers":{"tooltray":${JSON.stringify({ command: process.execPath, args: [cli, 'stdio', '--app', 'cursor'] })}}}`,
    `  Inspector      npx -y -p node@24 -p @modelcontextprotocol/inspector@latest mcp-inspector --cli ${http} --method tools/list${header}`,
    ...problems.map(
      (problem) => `! ${problem.file}:${problem.line}:${problem.column} ${problem.reason} ${problem.suggestion ?? ''}`,
    ),
    ...(insecureNoAuth
      ? [
          '',
          '!! --insecure-no-auth: every program and every user of this machine can call these tools. For tests only.',
        ]
      : []),
    '',
    '',
  ].join('\n');
}

function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text);
}
