/** `tooltray apps`: lists the client apps of this computer or a project, with their status. */
import { knownApp } from '../../core/client-apps/app-files.ts';
import type { AccessRow, AppRow } from '../../core/client-apps/app-rows.ts';
import { supportsProjects } from '../../core/client-apps/project-file.ts';
import type { AppSetup } from '../../core/client-apps/app-setup.ts';
import { findRunningCore } from '../core-access.ts';
import { projectFlag, stateText, withApps } from '../cli-apps.ts';
import { command, commonFlags } from '../command.ts';
import { formatTime, oneLine, paint, printResult, table } from '../terminal.ts';

export const apps = command({
  actions: {
    list: { help: 'List client apps and their access (default)' },
    allow: { words: 'APP', help: 'Restore the access of an app' },
    revoke: { words: 'APP', help: 'Revoke the access of an app, end its sessions; its file stays as it is' },
  },
  usual: 'list',
  flags: {
    project: { ...projectFlag, help: 'Show project configs in DIR (default: current directory)' },
    ...commonFlags,
  },
  notes: ['ACCESS: transport and since when, or revoked. SEEN: start or end of the last session.'],
  async run(flags, [app = ''], action) {
    if (action !== 'list') return printAccess(app, action === 'allow', flags);
    return withApps(flags, async (setup, project) => {
      if (project !== undefined) await printProjectApps(setup, project, flags.json);
      else await printApps(setup, flags.json);
      return 0;
    });
  },
});

/** Uses any running core, whatever its config, because it holds the sessions to end. */
async function printAccess(
  app: string,
  allowed: boolean,
  { config, json }: { readonly config: string | undefined; readonly json: boolean },
): Promise<number> {
  const core = await findRunningCore();
  const wish = { app, allowed };
  let sentence;
  if (core === undefined)
    sentence = await withApps({ config }, async (setup) => (await setup.setAccess(wish)).sentence);
  else
    try {
      ({ sentence } = await core.ask('setAccess', wish));
    } finally {
      await core.close();
    }
  printResult(json, { app, allowed, sentence }, () => [
    oneLine(sentence),
    ...(allowed ? [] : [`To restore access: tooltray apps allow ${oneLine(app)}`]),
  ]);
  return 0;
}

async function printApps(setup: AppSetup, json: boolean): Promise<void> {
  const [apps, access] = await Promise.all([setup.apps(), setup.access()]);
  printResult(json, { apps, access }, () => appLines(apps, access));
}

function appLines(apps: readonly AppRow[], access: readonly AccessRow[]): string[] {
  if (apps.length + access.length === 0) return ['No supported client app found.'];
  const head = ['APP', 'STATUS', 'ACCESS', 'LAST SEEN', 'SERVERS', 'NAME', 'CONFIG FILE'];
  const rows = apps.map((one) => {
    const { id, name, running, servers, configFile } = one;
    const row = access.find(({ app }) => app === id);
    const about = [String(servers), running ? `${name} (running)` : name, oneLine(configFile)];
    return [id, stateText(one), accessText(row), seenText(row), ...about];
  });
  const others = access.filter(({ app }) => apps.every(({ id }) => id !== app)).map(otherRow);
  const problems = apps.filter(({ problem }) => problem !== '').map(({ id, problem }) => `${id}: ${oneLine(problem)}`);
  const stale = apps
    .filter(({ connected }) => connected === 'stale')
    .map(
      ({ id, outOfStep }) => `${outOfStep === undefined ? '' : `${id}: ${outOfStep} `}Fix with: tooltray install ${id}`,
    );
  const notes = [...problems, ...stale];
  return [...table(head, [...rows, ...others]), ...(notes.length === 0 ? [] : ['', ...notes])];
}

/** An app that connected but is not supported by the installer, such as the user's own program. */
function otherRow(row: AccessRow): string[] {
  return [oneLine(row.app), paint('quiet', 'not found'), accessText(row), seenText(row), '', oneLine(row.name), ''];
}

/** Lists the apps that have a project config file, with their status. */
async function printProjectApps(setup: AppSetup, folder: string, json: boolean): Promise<void> {
  const apps = await setup.inProject(folder).apps();
  const others = (await setup.apps()).filter(({ id }) => !supportsProjects(knownApp(id)));
  printResult(json, { project: folder, apps, withoutProjects: others.map(({ id }) => id) }, () => [
    ...projectAppLines(apps, folder),
    ...othersLines(others),
  ]);
}

function projectAppLines(apps: readonly AppRow[], folder: string): string[] {
  if (apps.length === 0) return ['No installed app supports project configs.'];
  const rows = apps.map((app) => [app.id, stateText(app), String(app.servers), app.name, oneLine(app.configFile)]);
  const problems = apps.filter(({ problem }) => problem !== '').map(({ id, problem }) => `${id}: ${oneLine(problem)}`);
  const stale = apps
    .filter(({ connected }) => connected === 'stale')
    .map(({ id }) => `Fix with: tooltray install ${id} --project ${oneLine(folder)}`);
  return [...table(['APP', 'STATUS', 'SERVERS', 'NAME', 'CONFIG FILE'], rows), ...problems, ...stale];
}

function othersLines(others: readonly AppRow[]): string[] {
  if (others.length === 0) return [];
  const names = others.map(({ name }) => name).join(', ');
  return ['', `No project config support: ${names}.`];
}

/** Returns `http since 2026-11-20 09:15`, `revoked …` or `none`. */
function accessText(row: AccessRow | undefined): string {
  if (row?.revoked !== undefined) return paint('bad', `revoked ${formatTime(row.revoked)}`);
  if (row === undefined || row.via === 'none') return paint('quiet', 'none');
  return row.since === undefined ? row.via : `${row.via} since ${formatTime(row.since)}`;
}

function seenText(row: AccessRow | undefined): string {
  return row?.seen === undefined ? paint('quiet', 'never') : formatTime(row.seen);
}
