/**
 * `tooltray uninstall --all`: removes all traces of Tooltray from client apps, system, and vault. Run by the
 * uninstallers.
 */
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorText } from '../core/base/errors.ts';
import type { RestoredFiles } from '../core/client-apps/install.ts';
import { openVault } from '../core/secrets/vault.ts';
import { removeTraces } from '../host/system-traces.ts';
import { withApps } from './cli-apps.ts';
import { cliPaths } from './cli-config.ts';
import { findRunningCore } from './core-access.ts';
import { confirm, notAppliedMessage, oneLine, printResult, printLines } from './terminal.ts';

interface UninstallFlags {
  readonly config: string | undefined;
  readonly quiet: boolean;
  readonly yes: boolean;
  readonly json: boolean;
  readonly dryRun: boolean;
}

/** Maximum time for a core to stop, in ms. */
const endTimeoutMs = 20_000;
const pollIntervalMs = 100;

/** Resolves to the exit code: 1 if something could not be removed. */
export async function uninstallAll({ config, quiet, yes, json, dryRun }: UninstallFlags): Promise<number> {
  const { dataDir } = cliPaths();
  if (dryRun) throw new AppError('unsupported', '--all has no preview.', { fix: 'Remove --dry-run.' });
  const question = `Disconnect every client app, delete the secrets in ${dataDir}, and end Tooltray?`;
  const answer = await confirm(question, yes || quiet);
  if (answer !== true) {
    printLines([notAppliedMessage(answer)]);
    return 1;
  }
  const { files, problems: unrestored } = await disconnect(config);
  const problems = [
    ...unrestored,
    ...(await problemsOf(stopCore)),
    ...(await problemsOf(() => openVault(dataDir, process.env).discard())),
    ...(await removeTraces({ platform: process.platform, env: process.env, home: homedir(), dataDir })),
  ];
  if (quiet) for (const problem of problems) process.stderr.write(`tooltray: ${oneLine(problem)}\n`);
  else
    printResult(json, { files, problems }, () => [
      ...files.map((file) => oneLine(`${file} is as it was before Tooltray.`)),
      ...problems.map(oneLine),
      `Config, records, and logs are still in ${dataDir}.`,
    ]);
  return problems.length === 0 ? 0 : 1;
}

/** Sent to the running core, which also ends these apps' sessions. */
async function disconnect(config: string | undefined): Promise<RestoredFiles> {
  const core = await findRunningCore();
  if (core === undefined) return withApps({ config }, (apps) => apps.disconnectAll());
  try {
    return await core.ask('disconnectAll', {});
  } finally {
    await core.close();
  }
}

/**
 * The desktop app quits by itself; other cores are asked to stop. Rejects with AppError `already_running` if one does
 * not.
 */
async function stopCore(): Promise<void> {
  for (const deadline = Date.now() + endTimeoutMs; ; await sleep(pollIntervalMs)) {
    const core = await findRunningCore();
    if (core === undefined) return;
    await core.ask('stop', {}).catch(() => undefined);
    await core.close();
    if (Date.now() > deadline) throw new AppError('already_running', 'Tooltray did not end when it was asked to.');
  }
}

async function problemsOf(work: () => Promise<void>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [errorText(error)];
  }
}
