/** What `doctor` says of each server: as the running core sees it, else by connecting to it once. */
import type { ConfigStore } from '../core/config/config-store.ts';
import type { Probe } from '../core/servers/probe-connection.ts';
import type { CoreState, HealthLevel, ServerStatus } from '../rpc/contract.ts';
import { count } from './count.ts';
import type { Finding } from './finding.ts';
import { pickServers } from './pick-servers.ts';
import { failureText, isFailed } from './probe-report.ts';
import { probeServers } from './probe-server.ts';

const levels: Readonly<Record<HealthLevel, Finding['level']>> = {
  ok: 'ok',
  off: 'ok',
  busy: 'note',
  attention: 'problem',
  error: 'problem',
};

export function statusFindings(state: CoreState): Finding[] {
  return state.servers.map((server) => {
    const { name, level, summary, detail } = server;
    return {
      level: levels[level],
      topic: 'server',
      text: [`${name}: ${summary}.`, detail, remedy(server, state)].filter(Boolean).join(' '),
    };
  });
}

/** What the health's action is on the command line. */
function remedy({ name, level, action }: ServerStatus, { home, logDir }: CoreState): string {
  if (action === undefined || level === 'off') return '';
  switch (action.kind) {
    case 'retry':
      return `To try at once: tooltray retry ${name}`;
    case 'edit-config':
      return `Change its entry in ${home}.`;
    case 'view-log':
      return `Its log is in ${logDir}/servers.`;
    case 'enable':
      return `Switch it on: tooltray enable ${name}`;
    case 'sign-in':
      return `Sign in: tooltray sign-in ${name}`;
    case 'heal':
      return 'Try it: tooltray doctor --fix';
  }
}

export async function probeFindings(store: ConfigStore): Promise<Finding[]> {
  // Broken entries are told among the problems of the config.
  const { wanted, off } = pickServers(store, undefined);
  const probes = await probeServers(wanted, store.current);
  const switchedOff = off.map(({ name }): Finding => ({
    level: 'ok',
    topic: 'server',
    text: `${name}: Off. Switched off in the config.`,
  }));
  return [...probes.map(probeFinding), ...switchedOff];
}

function probeFinding(probe: Probe): Finding {
  const { name } = probe.server;
  if (isFailed(probe)) {
    const said = probe.stderr.at(-1);
    return {
      level: 'problem',
      topic: 'server',
      text: `${failureText(probe)}${said === undefined ? '' : ` Its last words: ${said}`}`,
    };
  }
  const tools = count(probe.listing.tools.length, 'tool');
  if (probe.problems.length === 0) return { level: 'ok', topic: 'server', text: `${name}: Answers, with ${tools}.` };
  return { level: 'problem', topic: 'server', text: `${name}: Answers, oddly. ${probe.problems.join(' ')}` };
}
