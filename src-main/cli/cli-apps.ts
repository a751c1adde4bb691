/** Opens the app setup for the duration of a command; a running Tooltray detects changes by watching the files. */
import { realpath, stat } from 'node:fs/promises';
import { openVault } from '../core/secrets/vault.ts';
import { resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { probeEntry } from '../core/admin/probe-entry.ts';
import { AppError } from '../core/base/errors.ts';
import { createLog } from '../core/base/log.ts';
import { Masker } from '../core/base/mask.ts';
import type { AppRow, InstallPreview } from '../core/client-apps/app-rows.ts';
import { type HttpEndpoint, httpEndpoint } from '../core/client-apps/tooltray-launch.ts';
import type { AppSetup } from '../core/client-apps/app-setup.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { addServer, hasServer, removeServer } from '../core/config/edit-config.ts';
import { auditAppAccess, createAudit } from '../core/create-audit.ts';
import { openAppSetup } from '../host/open-app-setup.ts';
import { openAppAccess } from '../host/open-config.ts';
import { coreCommand } from '../shim/dial.ts';
import { startCore } from '../shim/start-core.ts';
import { signOutLocally } from './sign-out-local.ts';
import { cliPaths, openCliConfig } from './cli-config.ts';
import { commonFlags } from './command.ts';
import { findRunningCore } from './core-access.ts';
import { openLocalSecrets } from './local-secrets.ts';
import { bundleFile } from './process-context.ts';
import { withTransports } from './probe.ts';
import { paint, type Paint, plainText } from './terminal.ts';

/** Flags of commands that change files of other programs. */
export const changeFlags = {
  dryRun: { help: 'Preview changes without writing' },
  yes: { help: 'Skip confirmation' },
  ...commonFlags,
} as const;

/** The project whose config files are used instead of the user's. */
export const projectFlag = {
  value: '[DIR]',
  help: 'Use the project configuration in DIR (default: current directory)',
} as const;

interface AppFlags {
  readonly config: string | undefined;
  readonly project?: string | undefined;
}

/**
 * Calls `work` with the absolute project folder, if one was given. Rejects with AppError `not_found` if it does not
 * exist.
 */
export async function withApps<T>(
  flags: AppFlags,
  work: (apps: AppSetup, project: string | undefined) => Promise<T>,
): Promise<T> {
  const project = flags.project === undefined ? undefined : await projectFolder(flags.project);
  const store = await openCliConfig(flags.config);
  const paths = cliPaths();
  const access = openAppAccess(paths);
  const audit = createAudit(paths.dataDir, openVault(paths.dataDir, process.env), new Masker(), createLog());
  auditAppAccess(audit, access);
  const apps = openAppSetup({
    env: process.env,
    paths,
    config: store,
    add: (servers) =>
      store.update((text) => servers.reduce((edited, { name, entry }) => addServer(edited, name, entry), text)),
    remove: async (names) => {
      let gone: readonly string[] = [];
      const before = store.current.servers;
      await store.update((text) => {
        gone = names.filter((name) => hasServer(text, name));
        return gone.reduce(removeServer, text);
      });
      await signOutLocally(before.filter(({ name }) => gone.includes(name)));
      return gone;
    },
    secrets: openLocalSecrets(store),
    cwd: process.cwd(),
    access: { store: access, address: () => addressNow(store), endSessions: rescanInCore },
    tryEntry: (entry) =>
      leavingNoCore('url' in entry ? store.path : undefined, () =>
        withTransports(store.current, (transports) =>
          probeEntry(entry, { config: store, transports, version: packageJson.version }),
        ),
      ),
  });
  try {
    return await work(apps, project);
  } finally {
    await apps.close();
    await audit.close();
  }
}

async function projectFolder(given: string): Promise<string> {
  const folder = resolve(given);
  if ((await stat(folder).catch(() => undefined))?.isDirectory() === true) return realpath(folder);
  throw new AppError('not_found', `Directory not found: ${folder}`, {
    fix: 'Pass --project DIR, or --project as the last argument for the current directory.',
  });
}

async function addressNow(store: ConfigStore): Promise<HttpEndpoint | undefined> {
  const core = await findRunningCore();
  const http = core === undefined ? undefined : (await core.ask('state', {})).http;
  await core?.close();
  return httpEndpoint(http, store.current.port);
}

/** A running core ends the sessions of apps that have no access any more. */
async function rescanInCore(): Promise<void> {
  const core = await findRunningCore();
  await core?.ask('rescan', {});
  await core?.close();
}

/**
 * Tests a client app's launch, which starts a core, or its address, which needs a running one; a core started only for
 * the test is stopped afterwards.
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
  // The core closes the connection while it responds.
  await core?.ask('stop', {}).catch(() => undefined);
  await core?.close();
}

const states: Readonly<Record<AppRow['connected'], readonly [Paint, string]>> = {
  yes: ['good', 'connected'],
  stale: ['bad', 'outdated'],
  no: ['quiet', 'not connected'],
};

/** Describes in one word how an app is connected. */
export function stateText({ connected, problem }: Pick<AppRow, 'connected' | 'problem'>): string {
  const [how, word] = problem === '' ? states[connected] : (['bad', 'unreadable'] as const);
  return paint(how, word);
}

/** Formats one line of a change for the terminal. */
export function diffText({ kind, text }: InstallPreview['diff'][number]): string {
  const line = plainText(text).replace(/\n/g, ' ');
  if (kind === 'added') return paint('good', `+ ${line}`);
  if (kind === 'gap') return paint('quiet', `  … ${line}`);
  return kind === 'removed' ? paint('bad', `- ${line}`) : `  ${line}`;
}

/** Returns the lines that explain how to undo a change. */
export function undoLines(undo: string, backup: string): string[] {
  if (undo === '') return [];
  const before = backup === '' ? 'No previous file.' : `Backup: ${backup}`;
  return [before, `To undo: tooltray undo ${undo}`];
}
