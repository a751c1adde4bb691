/** Static facts about a client app: its config file, the notation of an entry, how to detect that it runs. */

export type System = 'darwin' | 'win32' | 'linux';

/** The same on every system, or a list per system; without a list, the app does not exist there. */
export type PathsBySystem = readonly string[] | Readonly<Partial<Record<System, readonly string[]>>>;

export interface KnownApp {
  /** The id for `tooltray install` and `--app`. */
  readonly id: string;
  readonly name: string;
  readonly format: 'json' | 'jsonc' | 'toml' | 'yaml';
  /**
   * The user's config file: the first existing one, otherwise the first. May begin with a variable that app-files.ts
   * knows, such as `$HOME`.
   */
  readonly files: PathsBySystem;
  /**
   * Two builds can be installed, each with its own file: `traces` names the folder of each, in the order of
   * `files`. An install writes all.
   */
  readonly hasBuilds?: true;
  /** Relative to a project's folder. */
  readonly projectFiles: readonly string[];
  /** How to make it read a project's file, if `restart` is not sufficient. */
  readonly projectRestart?: string;
  /** The keys of the entries' container. */
  readonly container: readonly string[];
  /** Other containers, for reading only; `*` is any key. */
  readonly alsoReads?: readonly (readonly string[])[];
  readonly shape: EntryShape;
  /** Whether it reads plain JSON only: no comments, no trailing commas, no byte order mark. */
  readonly isStrict?: true;
  /** The keys of a list of servers that it starts; without the list it starts all. */
  readonly allowList?: readonly string[];
  /** Folders whose existence shows that the app is installed, even without a config file. */
  readonly traces: PathsBySystem;
  /** Names of its processes in lower case, without `.exe`. */
  readonly processes: readonly string[];
  /** Whether it keeps its settings in memory and writes them back, so that a change while it runs may be lost. */
  readonly overwrites: boolean;
  /** How to make it reload its config file. */
  readonly restart: string;
}

/** One path per system. */
export function everywhere(darwin: string, win32: string, linux: string): PathsBySystem {
  return { darwin: [darwin], win32: [win32], linux: [linux] };
}

/** How client apps write a server entry: one shape per notation, as functions from a launch to an entry. */
export interface EntryShape {
  readonly stdio: (launch: StdioLaunch) => AppEntry;
  /** Undefined if the app's config file does not support addresses. */
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

/** Qwen Code, where `url` is the older transport. */
export const httpUrlShape: EntryShape = {
  stdio: plainShape.stdio,
  http: ({ url, headers }) => present({ httpUrl: url, headers }),
};

export const zedShape: EntryShape = withMembers(plainShape, { source: 'custom' }, { source: 'custom' });

export const codexShape: EntryShape = {
  stdio: plainShape.stdio,
  http: ({ url, headers }) => present({ url, http_headers: headers }),
};

/** Copilot in JetBrains IDEs. */
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

/** Omits undefined members, and empty `env` and `headers`, which some apps show as settings to fill in. */
function present(entry: AppEntry): AppEntry {
  const optional = new Set(['env', 'envs', 'environment', 'headers', 'http_headers']);
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([key, value]) => value !== undefined && !(optional.has(key) && Object.keys(value as object).length === 0),
    ),
  );
}

/** How a client app reaches Tooltray: a command, or an address. */
export interface StdioLaunch {
  /** Absolute, because client apps start with a minimal PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface HttpLaunch {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type AppLaunch = StdioLaunch | HttpLaunch;

/** A server entry in an app's config file. */
export type AppEntry = Readonly<Record<string, unknown>>;

/** The name of our entry in every app's config file. */
export const entryName = 'tooltray';

/**
 * The entries for an app's file by name: a single one, or one for each of `servers`, which starts the same command
 * with `--server NAME`.
 */
export function entryLaunches(launch: AppLaunch, servers: readonly string[]): ReadonlyMap<string, AppLaunch> {
  if (servers.length === 0 || isHttp(launch)) return new Map([[entryName, launch]]);
  return new Map(servers.map((name) => [name, { ...launch, args: [...launch.args, serverFlag, name] }]));
}

/** The server of an entry for a single server. */
export function serverOfLaunch(launch: AppLaunch | undefined): string | undefined {
  if (launch === undefined || isHttp(launch)) return undefined;
  const at = launch.args.indexOf(serverFlag);
  return at < 0 ? undefined : launch.args[at + 1];
}

const serverFlag = '--server';

export function isHttp(launch: AppLaunch): launch is HttpLaunch {
  return 'url' in launch;
}
