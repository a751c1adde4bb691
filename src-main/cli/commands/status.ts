/** `tooltray status`: whether a core runs, where it listens, and a summary of its health. */
import { formatCount } from '../../core/base/text-format.ts';
import type { CoreState } from '../../rpc/contract.ts';
import { command, jsonFlag } from '../command.ts';
import { findRunningCore } from '../core-access.ts';
import { oneLine, paint, printResult } from '../terminal.ts';

export const status = command({
  flags: { json: jsonFlag },
  notes: ['Exits with 1 if Tooltray is not running.'],
  async run({ json }) {
    const core = await findRunningCore();
    if (core === undefined) {
      const idle = 'Tooltray is not running. Start it with "tooltray serve", or start a connected app.';
      printResult(json, { running: false }, () => [idle]);
      return 1;
    }
    const [state, { items }] = await Promise.all([core.ask('state', {}), core.ask('inbox', {})]);
    await core.close();
    printResult(json, { running: true, ...state, waiting: items.length }, () => statusLines(state, items.length));
    return 0;
  },
});

function statusLines(state: CoreState, waiting: number): string[] {
  const ill = state.servers.filter(({ level }) => level === 'error' || level === 'attention');
  const apps = [...new Set(state.sessions.map(({ appName }) => appName))];
  return [
    `${paint('good', 'running')} ${state.version}${state.paused ? ', paused' : ''}, since ${new Date(state.startedAt).toLocaleString()}`,
    `config   ${state.home}`,
    `mode     ${state.mode}`,
    `HTTP     ${state.http === '' ? 'none' : state.http}`,
    `socket   ${state.socket}`,
    `servers  ${formatCount(state.servers.length, 'server')}${ill.length === 0 ? '' : `, ${paint('bad', `${ill.length} unhealthy`)}: ${ill.map(({ name }) => oneLine(name)).join(', ')}`}`,
    `apps     ${apps.length === 0 ? 'none active' : apps.map((app) => oneLine(app)).join(', ')}`,
    ...(waiting === 0 ? [] : [`${formatCount(waiting, 'decision')} for you to take: tooltray inbox`]),
    ...state.storeProblems.map(({ summary, fix }) => paint('bad', oneLine(`${summary} ${fix}`))),
    ...(state.httpProblem === '' ? [] : [paint('unsure', state.httpProblem)]),
    ...state.configProblems.map((problem) => paint('bad', oneLine(problem))),
  ];
}
