/** State rows for tests: healthy, idle, and without history. */
import type { ServerRow, SessionStatus } from '../../src-main/rpc/contract.ts';

export function serverRow(name: string, row: Partial<ServerRow> = {}): ServerRow {
  const known = {
    summary: 'Ready',
    detail: '',
    tools: 1,
    transport: 'stdio',
    endpoint: '',
    enabled: true,
    restarts: 0,
  } as const;
  const figures = { since: 0, toolsOff: 0, calls24h: 0, failures24h: 0, listTokens: 0, listed: [] };
  return { name, level: 'ok', state: 'ready', ...known, ...figures, medianMs: undefined, asOf: undefined, ...row };
}

export function session(id: string, app: string): SessionStatus {
  return { id, app, appName: app, protocol: '2025-11-25', mode: 'search', staleList: false, note: '', calls: 0 };
}
