/** How the client apps spell a server entry: one shape per dialect, as plain functions from a launch to an entry. */
import type { AppEntry, HttpLaunch, StdioLaunch } from './launch.ts';

export interface EntryShape {
  readonly stdio: (launch: StdioLaunch) => AppEntry;
  /** Undefined: the app's config file takes no addresses. */
  readonly http: ((launch: HttpLaunch) => AppEntry) | undefined;
}

/** `command` and `args`, or `url` and `headers`: Cursor's notation, which most apps share. */
export const plainShape: EntryShape = {
  stdio: ({ command, args, env }) => present({ command, args, env }),
  http: ({ url, headers }) => present({ url, headers }),
};

export const stdioOnlyShape: EntryShape = { stdio: plainShape.stdio, http: undefined };

export const typedShape: EntryShape = withMembers(plainShape, { type: 'stdio' }, { type: 'http' });

export const geminiShape: EntryShape = withMembers(plainShape, {}, { type: 'http' });

/** Windsurf, Antigravity. */
export const serverUrlShape: EntryShape = {
  stdio: plainShape.stdio,
  http: ({ url, headers }) => present({ serverUrl: url, headers }),
};

export const zedShape: EntryShape = withMembers(plainShape, { source: 'custom' }, { source: 'custom' });

export const codexShape: EntryShape = {
  stdio: plainShape.stdio,
  http: ({ url, headers }) => present({ url, http_headers: headers }),
};

/** Copilot in the IDEs of JetBrains. */
export const requestInitShape: EntryShape = {
  stdio: typedShape.stdio,
  http: ({ url, headers }) => present({ url, requestInit: headers && { headers } }),
};

export const clineShape: EntryShape = {
  stdio: (launch) => ({ ...plainShape.stdio(launch), disabled: false }),
  http: ({ url, headers }) => present({ type: 'streamableHttp', url, headers, disabled: false }),
};

export const rooShape: EntryShape = {
  stdio: (launch) => ({ ...plainShape.stdio(launch), alwaysAllow: [], disabled: false }),
  http: ({ url, headers }) => present({ type: 'streamable-http', url, headers, alwaysAllow: [], disabled: false }),
};

export const kiroShape: EntryShape = {
  stdio: (launch) => ({ ...plainShape.stdio(launch), disabled: false, autoApprove: [] }),
  http: ({ url, headers }) => present({ url, headers, disabled: false, autoApprove: [] }),
};

export const copilotShape: EntryShape = {
  stdio: (launch) => ({ ...typedShape.stdio(launch), tools: ['*'] }),
  http: ({ url, headers }) => present({ type: 'http', url, headers, tools: ['*'] }),
};

export const opencodeShape: EntryShape = {
  stdio: ({ command, args, env }) =>
    present({ type: 'local', command: [command, ...args], environment: env, enabled: true }),
  http: ({ url, headers }) => present({ type: 'remote', url, headers, enabled: true }),
};

const gooseMembers = { name: 'tooltray', description: 'All MCP servers of this machine' } as const;

export const gooseShape: EntryShape = {
  stdio: ({ command, args, env }) =>
    present({ ...gooseMembers, type: 'stdio', cmd: command, args, envs: env, enabled: true, timeout: 300 }),
  http: ({ url, headers }) =>
    present({ ...gooseMembers, type: 'streamable_http', uri: url, headers, enabled: true, timeout: 300 }),
};

function withMembers({ stdio, http }: EntryShape, forStdio: AppEntry, forHttp: AppEntry): EntryShape {
  return {
    stdio: (launch) => ({ ...forStdio, ...stdio(launch) }),
    http: http === undefined ? undefined : (launch) => ({ ...forHttp, ...http(launch) }),
  };
}

/** Without what is undefined. Empty `env` and `headers` are left out too: some apps show them as settings to fill in. */
function present(entry: AppEntry): AppEntry {
  const optional = new Set(['env', 'envs', 'environment', 'headers', 'http_headers']);
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([key, value]) => value !== undefined && !(optional.has(key) && Object.keys(value as object).length === 0),
    ),
  );
}
