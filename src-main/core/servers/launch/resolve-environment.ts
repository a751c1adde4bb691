/**
 * The environment of child processes: our own, completed from the login shell if the desktop session provides almost
 * none.
 */
import { delimiter } from 'node:path';
import { settleWithin } from '../../base/settle-within.ts';
import type { InheritedVariables } from '../../config/server-config.ts';
import { isCommonVariable } from './common-variables.ts';
import type { ResolvedEnv } from './find-command.ts';
import { toolFolders } from './tool-folders.ts';

interface EnvironmentResolverOptions {
  /** Our own environment; `process.env` in the app. */
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Reads the login shell's environment; by default the package `shell-env`. */
  readonly readLoginShell?: () => Promise<ResolvedEnv>;
  /** Time limit for the login shell, in ms. */
  readonly limitMs?: number;
}

export interface ServerEnvironment {
  readonly env: ResolvedEnv;
  /** Names of the user's variables that it does not receive. */
  readonly withheld: readonly string[];
}

/** Runs the login shell at most once. */
export class EnvironmentResolver {
  readonly #options: Required<EnvironmentResolverOptions>;
  #base: Promise<ResolvedEnv> | undefined;

  constructor(options: EnvironmentResolverOptions) {
    this.#options = { platform: process.platform, readLoginShell: readWithShellEnv, limitMs: 5000, ...options };
  }

  /**
   * The user's login environment with the entry's own variables, which take precedence; used to find commands. Never
   * rejects.
   */
  async resolve(entry: ResolvedEnv = {}): Promise<ResolvedEnv> {
    this.#base ??= this.#resolveBase();
    return overlay(await this.#base, entry, this.#options.platform);
  }

  /** Returns the environment of a server's process. Never rejects. */
  async forServer(entry: ResolvedEnv, inherited: InheritedVariables): Promise<ServerEnvironment> {
    const { platform } = this.#options;
    this.#base ??= this.#resolveBase();
    const all = Object.entries(await this.#base);
    const requested = new Set(inherited === 'all' ? [] : inherited.map((name) => spelling(name, platform)));
    const isGiven = ([name]: readonly [string, string]): boolean =>
      inherited === 'all' || isCommonVariable(name, platform) || requested.has(spelling(name, platform));
    const env = overlay(Object.fromEntries(all.filter(isGiven)), entry, platform);
    const given = new Set(Object.keys(env).map((name) => spelling(name, platform)));
    return { env, withheld: all.map(([name]) => name).filter((name) => !given.has(spelling(name, platform))) };
  }

  async #resolveBase(): Promise<ResolvedEnv> {
    const { own, platform, readLoginShell, limitMs } = this.#options;
    // A broken or slow shell profile must not keep servers from starting; our own environment is used instead.
    const read = needsLoginShell(own, platform) ? await settleWithin(readLoginShell(), limitMs) : undefined;
    const shell = read ?? {};
    const merged: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...shell, ...own })) {
      if (value !== undefined && !isOurs(name)) merged[name] = value;
    }
    if (shell['PATH'] !== undefined) merged['PATH'] = joinPaths(shell['PATH'], own['PATH']);
    return withToolFolders(merged, platform);
  }
}

/**
 * Folders that every desktop session has on PATH; if there are no others, the user's tools (nvm, Homebrew, uv) are
 * missing.
 */
const systemFolders = new Set(['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']);

function needsLoginShell(own: EnvironmentResolverOptions['own'], platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return false;
  const folders = (own['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return own['TERM'] === undefined || folders.every((folder) => systemFolders.has(folder));
}

/**
 * Variables that are not passed on: secrets and folders of the core, those that turn a child Electron into Node, and
 * traces of the login shell.
 */
function isOurs(name: string): boolean {
  return /^(TOOLTRAY_.*|NODE_OPTIONS|ELECTRON_RUN_AS_NODE|_|SHLVL|PWD|OLDPWD)$/i.test(name);
}

/** Appended, so that PATH keeps precedence and only missing commands are found there. */
async function withToolFolders(env: ResolvedEnv, platform: NodeJS.Platform): Promise<ResolvedEnv> {
  const folders = (await toolFolders(env, platform)).join(delimiter);
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  return folders === '' ? env : { ...env, [name]: joinPaths(env[name] ?? '', folders) };
}

function joinPaths(first: string, second = ''): string {
  return [...new Set([...first.split(delimiter), ...second.split(delimiter)])]
    .filter((path) => path !== '')
    .join(delimiter);
}

function spelling(name: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? name.toUpperCase() : name;
}

/** On Windows `Path` and `PATH` are one variable, so two spellings must not coexist. */
function overlay(base: ResolvedEnv, entry: ResolvedEnv, platform: NodeJS.Platform): ResolvedEnv {
  if (platform !== 'win32') return { ...base, ...entry };
  const replaced = new Set(Object.keys(entry).map((name) => name.toUpperCase()));
  const unchanged = Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()));
  return { ...Object.fromEntries(unchanged), ...entry };
}

async function readWithShellEnv(): Promise<ResolvedEnv> {
  // Imported on demand: needed at most once, and never in a terminal.
  const { shellEnv } = await import('shell-env');
  return shellEnv();
}
