/** `tooltray apps`: the client apps of this machine, and how it stands with each. */
import type { AppRow } from '../rpc/contract.ts';
import { columns } from './columns.ts';
import { withApps } from './open-cli-apps.ts';
import { oneLine } from './plain-text.ts';
import { paint, type Paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';

const states: Readonly<Record<AppRow['connected'], readonly [Paint, string]>> = {
  yes: ['good', 'connected'],
  stale: ['bad', 'outdated'],
  no: ['quiet', 'not connected'],
};

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values } = readFlags(args, commonFlags, [0, 0], form);
  const apps = await withApps(values.config, (setup) => setup.apps());
  if (values.json === true) printJson({ apps });
  else printLines(appLines(apps));
  return 0;
}

function appLines(apps: readonly AppRow[]): string[] {
  if (apps.length === 0) return ['No client app that Tooltray knows was found here.'];
  const head = ['APP', 'STATE', 'SERVERS', 'NAME', 'CONFIG FILE'].map((word) => paint('head', word));
  const rows = apps.map(({ id, name, connected, running, servers, configFile, problem }) => {
    const [how, word] = problem === '' ? states[connected] : (['bad', 'unreadable'] as const);
    return [id, paint(how, word), String(servers), running ? `${name} (running)` : name, oneLine(configFile)];
  });
  const problems = apps.filter(({ problem }) => problem !== '').map(({ id, problem }) => `${id}: ${oneLine(problem)}`);
  const stale = apps
    .filter(({ connected }) => connected === 'stale')
    .map(({ id }) => `Mend it: tooltray install ${id}`);
  const notes = [...problems, ...stale];
  return [...columns([head, ...rows]), ...(notes.length === 0 ? [] : ['', ...notes])];
}
