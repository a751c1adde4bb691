/**
 * Limits of a team replica's commands: memory, processes, files, and processors, and no container
 * options that lead to the replica's computer.
 */
import { AppError } from '../../../base/errors.ts';
import type { CommandLimits } from '../../../config/app-config.ts';
import { isInside } from '../../../security/file-paths.ts';
import {
  isProtectedPath,
  type ProtectedPaths,
  realOf,
  resolveProtectedPaths,
} from '../../../security/protected-paths.ts';
import { containerOptions, waysOut } from '../../../trust/runner-words.ts';
import { findCommand, type ResolvedEnv } from '../find-command.ts';

/** Priority of commands, so that a busy one does not slow the replica down. */
const niceness = '5';

/**
 * Returns the words before a program that limit it and its descendants. Sources: prlimit(1), getrlimit(2). Rejects with
 * AppError `server_not_started` if the programs for it are missing.
 */
export async function limitWords(limits: CommandLimits, outside: ResolvedEnv): Promise<readonly string[]> {
  const [nice, prlimit] = await Promise.all(['nice', 'prlimit'].map((name) => findCommand(name, outside)));
  if (nice === undefined || prlimit === undefined)
    throw new AppError('server_not_started', 'The limits of commands cannot be set: prlimit or nice is missing.', {
      fix: 'Install your system’s packages "util-linux" and "coreutils".',
    });
  const { memoryMB, openFiles, processes } = limits;
  // Not the address space: Node.js and others reserve much more of it than they use.
  const data = memoryMB * 1024 * 1024;
  const words = [`--data=${data}:${data}`, `--nproc=${processes}:${processes}`, `--nofile=${openFiles}:${openFiles}`];
  return [nice, '-n', niceness, prlimit, ...words, '--core=0:0', '--'];
}

/** Returns options of `docker run` and `podman run`; `words`: further options, which win. */
export function containerLimits(
  { cpus, memoryMB, openFiles, processes }: CommandLimits,
  words: readonly string[],
): string[] {
  const hasFiles = containerOptions(words).some(
    ({ name, value }) => name === '--ulimit' && value?.startsWith('nofile='),
  );
  return [
    ...['--memory', `${memoryMB}m`, '--pids-limit', String(processes), '--cpus', String(cpus)],
    ...(hasFiles ? [] : ['--ulimit', `nofile=${openFiles}:${openFiles}`]),
  ];
}

/** Paths that lead to devices, processes, or services of the computer. */
const systemPaths = ['/proc', '/sys', '/dev', '/run', '/var/run'];

/**
 * Rejects with AppError `config_invalid` if options of a container engine give the container access to the replica:
 * its namespaces, devices, engine, or `hidden` paths.
 */
export async function refuseWaysOut(server: string, words: readonly string[], hidden: ProtectedPaths): Promise<void> {
  const real = await resolveProtectedPaths(hidden);
  const options = containerOptions(words);
  const leads = await Promise.all(
    options.map(async ({ name, value = '' }) => {
      if (name === '--env-file') return [`${name} ${value}`];
      const source = sourceOf(name, value);
      if (source === undefined) return [];
      const path = await realOf(source);
      const isSystem = systemPaths.some((one) => isInside(one, path) || isInside(path, one));
      const holdsOurs = [...real.folders, ...real.files].some((ours) => isInside(path, ours));
      return isSystem || holdsOurs || isProtectedPath(real, path) ? [`${name} ${value}`] : [];
    }),
  );
  const found = [...new Set([...waysOut(words), ...leads.flat()])];
  if (found.length === 0) return;
  const what = `${server} would grant its container access to the replica's host: ${found.join(', ')}.`;
  throw new AppError('config_invalid', what, { fix: 'Remove these options from its entry.' });
}

/** Path on the computer that an option mounts; undefined for other options and named volumes. */
function sourceOf(option: string, value: string): string | undefined {
  const named = /(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1];
  const source = option === '--mount' ? named : option === '--volume' ? value.split(':')[0] : undefined;
  return source?.startsWith('/') === true ? source : undefined;
}
