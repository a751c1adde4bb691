/** `tooltray apps --project`: the apps that read a file of their own in a project, and how it stands with each. */
import { knownApp } from '../core/client-apps/app-files.ts';
import { hasProjects } from '../core/client-apps/project-place.ts';
import type { AppSetup } from '../rpc/app-setup.ts';
import type { AppRow } from '../rpc/contract.ts';
import { columns } from './columns.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { stateText } from './state-text.ts';

export async function printProjectApps(setup: AppSetup, folder: string, json: boolean): Promise<void> {
  const apps = await setup.inProject(folder).apps();
  const others = (await setup.apps()).filter(({ id }) => !hasProjects(knownApp(id)));
  if (json) printJson({ project: folder, apps, withoutProjects: others.map(({ id }) => id) });
  else printLines([...appLines(apps, folder), ...othersLines(others)]);
}

function appLines(apps: readonly AppRow[], folder: string): string[] {
  if (apps.length === 0) return ['No app that is here reads a config file in a project.'];
  const head = ['APP', 'STATE', 'SERVERS', 'NAME', 'FILE'].map((word) => paint('head', word));
  const rows = apps.map((app) => [app.id, stateText(app), String(app.servers), app.name, oneLine(app.configFile)]);
  const problems = apps.filter(({ problem }) => problem !== '').map(({ id, problem }) => `${id}: ${oneLine(problem)}`);
  const stale = apps
    .filter(({ connected }) => connected === 'stale')
    .map(({ id }) => `Mend it: tooltray install ${id} --project ${oneLine(folder)}`);
  return [...columns([head, ...rows]), ...problems, ...stale];
}

function othersLines(others: readonly AppRow[]): string[] {
  if (others.length === 0) return [];
  const names = others.map(({ name }) => name).join(', ');
  return ['', `${names} ${others.length === 1 ? 'has' : 'have'} no config file for single projects.`];
}
