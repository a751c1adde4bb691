/** Descriptions in a server's row. Pure. */
import type { ListedCost, ServerRow, ServerUsage, ToolMatches } from '../../../src-main/rpc/contract.ts';
import { bytes, compact, count, duration, formatProblems, list, whole } from '../../lib/format.ts';

const transports = { stdio: 'stdio', http: 'HTTP', sse: 'SSE', openapi: 'OpenAPI', builtin: 'Built-in' } as const;

export function transportName({ transport }: Pick<ServerRow, 'transport'>): string {
  return transports[transport];
}

/** `14`, `9 of 11`: number of enabled tools, of the total. */
export function toolsInWords({ tools, toolsOff }: Pick<ServerRow, 'tools' | 'toolsOff'>): string {
  return toolsOff === 0 ? whole(tools) : `${whole(tools - toolsOff)} of ${whole(tools)}`;
}

type Listed = Pick<ServerRow, 'tools' | 'listTokens' | 'listed'>;

/** Tokens of its list as read by each session: `18.4k → 0.3k`, `18.4k → 0–0.3k` if apps are shown different lists. */
export function listCost({ tools, listTokens, listed }: Listed): string {
  if (tools === 0) return '–';
  const shown = listed.map(({ tokens }) => tokens);
  if (shown.every((tokens) => tokens === listTokens)) return compact(listTokens);
  const [least, most] = [Math.min(...shown), Math.max(...shown)].map((tokens) => inUnitOf(listTokens, tokens));
  return `${compact(listTokens)} → ${least === most ? most : `${least}–${most}`}`;
}

/** In a column both sides of an arrow use the same unit, so that they are easy to compare. */
function inUnitOf(whole: number, tokens: number): string {
  if (whole < 1_000 || tokens === 0 || tokens >= 1_000) return compact(tokens);
  return tokens < 50 ? '<0.1k' : `${(tokens / 1_000).toFixed(1)}k`;
}

/** `Claude Desktop, Codex: 310 tokens in search mode`. */
export function shownTo({ apps, mode, tokens }: ListedCost): string {
  const whom = apps.length === 0 ? 'Any app' : apps.join(', ');
  return `${whom}: ${tokens === 0 ? 'not listed' : count(tokens, 'token')} in ${mode} mode`;
}

/** What it is waiting for; empty if it is not. */
export function waitsFor({ level, state }: Pick<ServerRow, 'level' | 'state'>): string {
  if (level !== 'busy') return '';
  if (state === 'authenticating') return 'Waiting for sign-in in your browser';
  if (state === 'discovering') return 'Listing tools';
  if (state === 'installing') return 'Downloading its package; this may take minutes the first time';
  return 'Starting; the first start may download the package';
}

export function callsInWords({ calls24h, failures24h }: Pick<ServerRow, 'calls24h' | 'failures24h'>): string {
  return `${count(calls24h, 'call')} in the last 24 h, ${formatProblems(failures24h)}`;
}

/** It is connected, connecting, or retrying, so it can be stopped. */
export function isRunning({ state }: Pick<ServerRow, 'state'>): boolean {
  return state !== 'disabled' && state !== 'disconnected';
}

/** Label of the restart button in the server's current state. */
export function restartWord(server: Pick<ServerRow, 'state'>): string {
  if (server.state === 'error') return 'Retry';
  return isRunning(server) ? 'Restart' : 'Start';
}

/** `0%`, `3.5%`, `140%`: of one processor. */
export function loadInWords(load: number): string {
  const percent = load * 100;
  if (percent > 0 && percent < 0.1) return '<0.1%';
  return `${percent < 9.95 && percent > 0 ? percent.toFixed(1).replace(/\.0$/, '') : Math.round(percent)}%`;
}

/** `84 MB in 3 processes`. */
export function memoryInWords({ memoryBytes, processes, inContainer }: ServerUsage): string {
  const plural = processes === 1 ? '1 process' : `${whole(processes)} processes`;
  return `${bytes(memoryBytes)} in ${plural}${inContainer ? '(container processes not included)' : ''}`;
}

/** `1.2% of one processor, 12 s so far`. */
export function processorInWords({ load, cpuMs }: ServerUsage): string {
  const so = `${duration(cpuMs)} CPU time`;
  return load === undefined ? so : `${loadInWords(load)} of one core, ${so}`;
}

/** `Tools: list_issues, close_issue and 3 more`. */
export function matchesInWords({ tools, total }: ToolMatches): string {
  const more = total - tools.length;
  return `${total === 1 ? 'Tool' : 'Tools'}: ${tools.join(', ')}${more > 0 ? ` and ${whole(more)} more` : ''}`;
}

/** `Duplicate of github`, if they differ only in name. */
export function duplicatesInWords({ duplicates = [] }: Pick<ServerRow, 'duplicates'>): string {
  return `Duplicate of ${list(duplicates)}`;
}

/** Changes when some server may have other tools. */
export function rowsRevision(servers: readonly ServerRow[]): string {
  return servers.map(({ name, tools, asOf }) => `${name} ${tools} ${asOf ?? ''}`).join();
}

/** Indexed by server name. */
export function byServer<T extends { readonly server: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  return new Map(list.map((one) => [one.server, one]));
}

/** Rows whose name, state, or endpoint contains every word, and those with matching tools. */
export function filterServers(
  servers: readonly ServerRow[],
  text: string,
  matches: ReadonlyMap<string, unknown> = new Map(),
): readonly ServerRow[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return servers.filter((server) => {
    const all = [server.name, server.summary, server.endpoint, transportName(server)].join(' ').toLowerCase();
    return matches.has(server.name) || words.every((word) => all.includes(word));
  });
}
