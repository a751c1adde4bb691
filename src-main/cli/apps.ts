/** `tooltray apps`: the client apps of this machine, and how it stands with each. */
import type { AppSetup } from '../rpc/app-setup.ts';
import type { AccessRow, AppRow } from '../rpc/contract.ts';
import { accessText, seenText } from './access-text.ts';
import { columns } from './columns.ts';
import { withApps } from './open-cli-apps.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { printProjectApps } from './project-apps.ts';
import { readProjectFlag } from './project-flag.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { stateText } from './state-text.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { project, rest } = await readProjectFlag(args);
  const { values } = readFlags(rest, commonFlags, [0, 0], form);
  return withApps(values.config, async (setup) => {
    const json = values.json === true;
    if (project !== undefined) await printProjectApps(setup, project, json);
    else await printApps(setup, json);
    return 0;
  });
}

async function printApps(setup: AppSetup, json: boolean): Promise<void> {
  const [apps, access] = await Promise.all([setup.apps(), setup.access()]);
  if (json) printJson({ apps, access });
  else printLines(appLines(apps, access));
}

function appLines(apps: readonly AppRow[], access: readonly AccessRow[]): string[] {
  if (apps.length + access.length === 0) return ['No client app that Tooltray knows was found here.'];
  const head = ['APP', 'STATE', 'ACCESS', 'SEEN', 'SERVERS', 'NAME', 'CONFIG FILE'].map((word) => paint('head', word));
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
    .map(({ id }) => `Mend it: tooltray install ${id}`);
  const notes = [...problems, ...stale];
  return [...columns([head, ...rows, ...others]), ...(notes.length === 0 ? [] : ['', ...notes])];
}

/** One that connected and is not known here: started by hand, or a program of the person's own. */
function otherRow(row: AccessRow): string[] {
  return [oneLine(row.app), paint('quiet', 'not found'), accessText(row), seenText(row), '', oneLine(row.name), ''];
}
