/** What a server's row says, in words. Pure. */
import type { ListedCost, ServerRow } from '../../../src-main/rpc/contract.ts';
import { compact, count, failedInWords, whole } from '../../lib/format.ts';

const transports = { stdio: 'Process', http: 'HTTP', sse: 'SSE', builtin: 'Built in' } as const;

export function transportName({ transport }: Pick<ServerRow, 'transport'>): string {
  return transports[transport];
}

/** `14`, `9 of 11`: tools that are on, of those it has. */
export function toolsInWords({ tools, toolsOff }: Pick<ServerRow, 'tools' | 'toolsOff'>): string {
  return toolsOff === 0 ? whole(tools) : `${whole(tools - toolsOff)} of ${whole(tools)}`;
}

type Listed = Pick<ServerRow, 'tools' | 'listTokens' | 'listed'>;

/** What its list costs each session: `18.4k → 310` tokens, `18.4k → 0–310` where apps are shown it differently. */
export function listCost({ tools, listTokens, listed }: Listed): string {
  if (tools === 0) return '–';
  const shown = listed.map(({ tokens }) => tokens);
  if (shown.every((tokens) => tokens === listTokens)) return compact(listTokens);
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  return `${compact(listTokens)} → ${least === most ? compact(most) : `${compact(least)}–${compact(most)}`}`;
}

/** `Claude Desktop, Codex: 310 tokens in search mode`. */
export function shownTo({ apps, mode, tokens }: ListedCost): string {
  const whom = apps.length === 0 ? 'The next app' : apps.join(', ');
  return `${whom}: ${tokens === 0 ? 'nothing listed' : count(tokens, 'token')} in ${mode} mode`;
}

/** What it takes its time for; empty where it does not. */
export function waitsFor({ level, state }: Pick<ServerRow, 'level' | 'state'>): string {
  if (level !== 'busy') return '';
  if (state === 'authenticating') return 'Waiting for the sign-in in your browser';
  if (state === 'discovering') return 'Reading its tools';
  return 'Starting; the first start of a package downloads it';
}

export function callsInWords({ calls24h, failures24h }: Pick<ServerRow, 'calls24h' | 'failures24h'>): string {
  return `${count(calls24h, 'call')} in 24 hours, ${failedInWords(failures24h)}`;
}

/** Rows whose name, state or address holds every word. */
export function filterServers(servers: readonly ServerRow[], text: string): readonly ServerRow[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return servers.filter((server) => {
    const all = [server.name, server.summary, server.endpoint, transportName(server)].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
