/**
 * Starts a command that opted out of the sandbox on a core that serves several users: it has the files and the network
 * of the core's user, but sees no process besides its own, nothing at /run, and none of Tooltray's files. Uses
 * bubblewrap.
 */
import { stat } from 'node:fs/promises';
import { AppError } from '../../../base/errors.ts';
import { isInside } from '../../../security/file-paths.ts';
import { type ProtectedPaths, resolveProtectedPaths } from '../../../security/protected-paths.ts';
import { findCommand, type ResolvedEnv } from '../find-command.ts';
import type { ProcessLaunch } from '../process-group.ts';
import { markVariable } from '../process-tree.ts';
import { filesBeside, findSandbox, resolverMounts } from './bubblewrap.ts';

/**
 * Returns the launch with the hidden paths covered. `outside`: the environment in which bubblewrap is looked up. `limits`: words
 * before the program that limit it.
 * Rejects with AppError server_not_started if bubblewrap cannot be used.
 */
export async function hideOwnFiles(
  launch: ProcessLaunch,
  hidden: ProtectedPaths,
  outside: ResolvedEnv,
  limits: readonly string[],
): Promise<ProcessLaunch> {
  const { command, args, env, cwd } = launch;
  const bwrap = await findSandbox(outside);
  if (bwrap.command === undefined) throw new AppError('server_not_started', bwrap.problem);
  const real = await resolveProtectedPaths(hidden);
  const folders = await existing([...hidden.folders, ...real.folders]);
  const files = await filesBeside(real, [{ path: '/', writable: true }]);
  // The home of a user's process and the folder of an unpacked bundle are inside a folder of ours.
  const own = await existing([env['HOME'] ?? '/', cwd ?? '/'].filter((path) => isBelow(folders, path)));
  const words = [
    ...['--unshare-pid', '--die-with-parent', '--cap-drop', 'ALL', '--bind', '/', '/', '--dev-bind', '/dev', '/dev'],
    // Hides the sockets of system services, which could be asked to inspect other processes.
    ...['--proc', '/proc', '--tmpfs', '/run', ...(await resolverMounts())],
    ...folders.flatMap((folder) => ['--tmpfs', folder]),
    ...(await existing(files)).flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...own.flatMap((path) => ['--bind', path, path]),
    ...['--chdir', cwd ?? env['HOME'] ?? '/', '--unsetenv', 'PATH', '--unsetenv', markVariable],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  return {
    command: bwrap.command,
    // The values of variables appear neither in the list of processes nor in the environment of bubblewrap.
    args: ['--args', '3', '--', ...limits, (await findCommand(command, env, cwd)) ?? command, ...args],
    env: { PATH: outside['PATH'] ?? '' },
    cwd: '/',
    descriptors: [],
    input: words.map((word) => `${word}\0`).join(''),
  };
}

function isBelow(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path !== folder && isInside(folder, path));
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) =>
      stat(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}
