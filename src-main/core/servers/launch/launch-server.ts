/** Starts a server's process, or says why that is not possible. */
import { isCommonVariable } from './common-variables.ts';
import { isFolder } from './tool-folders.ts';
import { AppError, errorText } from '../../base/errors.ts';
import { defaultWorkingFolder } from '../../base/working-folder.ts';
import type { InheritedVariables, Isolation, StdioServerConfig } from '../../config/server-config.ts';
import type { ServerSandboxes } from './sandbox/server-sandboxes.ts';
import { type ResolvedEnv, findCommand } from './find-command.ts';
import { type ProcessLaunch, ProcessGroup } from './process-group.ts';
import type { ProcessRegistry } from './process-registry.ts';
import type { EnvironmentResolver } from './resolve-environment.ts';

export interface ServerLaunch {
  /** Names the server in error messages. */
  readonly serverName: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The entry's own variables, in addition to `environment`. */
  readonly env: ResolvedEnv;
  /** The user's variables in addition to the common ones. */
  readonly inherited: InheritedVariables;
  readonly cwd: string | undefined;
  /** Undefined: no sandbox. */
  readonly isolate?: Isolation | undefined;
  /** Arguments and variables before secrets were filled in, as approved by the user. Absent if there are no secrets. */
  readonly written?: Pick<StdioServerConfig, 'args' | 'env'> | undefined;
  readonly boxes?: ServerSandboxes | undefined;
  readonly environment: EnvironmentResolver;
  readonly registry: ProcessRegistry;
}

interface Launched {
  readonly group: ProcessGroup;
  /** Names of the user's variables that it did not receive. */
  readonly withheld: readonly string[];
}

/** Rejects with AppError `config_invalid` (no such folder), `command_not_found` or `server_not_started`. */
export async function launchServer(launch: ServerLaunch): Promise<Launched> {
  const { serverName, command, cwd } = launch;
  const { env, withheld } = await launch.environment.forServer(launch.env, launch.inherited);
  // A missing folder and a missing command both fail with ENOENT; this check distinguishes them.
  if (cwd !== undefined && !(await isFolder(cwd))) {
    throw new AppError('config_invalid', `${serverName} did not start: its working folder ${cwd} does not exist.`, {
      fix: 'Create the folder, or change "cwd" in its entry.',
    });
  }
  if ((await findCommand(command, env, cwd)) === undefined) throw notFound(serverName, command);
  try {
    const started = await inBox(launch, env);
    const folder = started.cwd ?? defaultWorkingFolder(started.env);
    return { group: await startGroup({ ...started, cwd: folder, owner: serverName }, launch.registry), withheld };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notFound(serverName, command, error);
    if (error instanceof AppError) throw error;
    throw new AppError('server_not_started', `${serverName} did not start: ${errorText(error)}.`, { cause: error });
  }
}

/** Starts a process group. If that fails, removes its leftover container. */
async function startGroup(started: ProcessLaunch, registry: ProcessRegistry): Promise<ProcessGroup> {
  try {
    return await ProcessGroup.start(started, registry);
  } catch (error) {
    started.leftBehind?.removeNow();
    throw error;
  }
}

/** Wraps the launch in its sandbox; starts nothing if a sandbox is required and none is available. */
async function inBox(
  { serverName, command, args, cwd, isolate, boxes, env: own, inherited, written, environment }: ServerLaunch,
  env: ResolvedEnv,
): Promise<ProcessLaunch> {
  const launch = { command, args, env, cwd };
  const entry = { name: serverName, command, args: written?.args ?? args, env: written?.env ?? own, cwd };
  if (isolate === undefined) {
    if (boxes === undefined) return launch;
    return boxes.launchUnconfined(launch, entry, (await environment.forServer({}, [])).env);
  }
  if (boxes === undefined) throw new AppError('server_not_started', `${serverName} starts only in a sandbox.`);
  // Common variables hold paths on this computer, which do not exist in a container.
  const isOwn = (name: string): boolean => !isCommonVariable(name, process.platform) && !(name in own);
  const names = (inherited === 'all' ? Object.keys(env) : inherited).filter(isOwn);
  const { env: outside } = await environment.forServer({}, []);
  return boxes.wrapLaunch({ ...launch, serverName, own, inherited: names, entry: { ...entry, isolate }, outside });
}

function notFound(serverName: string, command: string, cause?: unknown): AppError {
  const problem = /[/\\]/.test(command) ? 'does not exist or is not executable' : 'was not found on PATH';
  return new AppError('command_not_found', `${serverName} did not start: "${command}" ${problem}.`, {
    fix: "Install it, or set an absolute path in the server's command.",
    cause,
  });
}
