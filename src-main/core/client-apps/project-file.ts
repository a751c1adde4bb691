/** The config file of an app in a project's folder: it applies to that project only, and may be shared with others. */
import { AppError, errorText } from '../base/errors.ts';
import { confinePath } from '../security/confine-path.ts';
import { type Machine, resolvePaths, projectFile } from './app-files.ts';
import type { AppConfigFile } from './update-app-file.ts';
import type { KnownApp, StdioLaunch } from './known-app.ts';
import { knownApps } from './known-apps.ts';
import { sharedCommand } from './tooltray-launch.ts';

/** An app's file in a project; it need not exist yet. */
interface ProjectPlace extends AppConfigFile {
  readonly project: string;
}

export function supportsProjects({ projectFiles }: KnownApp): boolean {
  return projectFiles.length > 0;
}

/**
 * Throws AppError `unsupported` for an app without project files, `bad_request` if the file would be the user's own,
 * `not_allowed` if a link leads out of the project, because a project may come from an untrusted author.
 */
export async function resolveProjectFile(machine: Machine, app: KnownApp, project: string): Promise<ProjectPlace> {
  const file = await projectFile(machine, app, project);
  if (file === undefined) throw noProjects(app);
  if (resolvePaths(machine, app.files).includes(file)) throw ownFile(app, file);
  await confinePath([project], file, { mustExist: false }).catch((cause: unknown) => {
    throw new AppError('not_allowed', `${file} leads out of the project, so it was left alone. ${errorText(cause)}`, {
      fix: 'Put a file in place of the link.',
      cause,
    });
  });
  return { app, file, project };
}

/** Returns a warning to show before a project's file is changed. */
export function projectWarning({ command, env }: StdioLaunch): string {
  const about =
    'This file belongs to the project, and others may get it with the project. No password and no token is written into it.';
  if (env !== undefined)
    return `${about} But it names the folder of this private Tooltray, and starts nothing on another machine.`;
  if (command === sharedCommand) return `${about} They need Tooltray on their PATH.`;
  return `${about} But the entry names a path of this machine and starts nothing on another one; once ${sharedCommand} is on your PATH, its name is written instead.`;
}

/** An address would require the user's token in the file. */
export function tokenInProjectError(): AppError {
  return new AppError('unsupported', 'A project’s file may be shared, so no address with a token is written into it.', {
    fix: 'Leave --http out: the entry then starts Tooltray by its command.',
  });
}

function noProjects({ id, name }: KnownApp): AppError {
  const others = knownApps.filter(supportsProjects).map((app) => app.id);
  return new AppError('unsupported', `${name} has no config file for single projects.`, {
    fix: `Connect it for all of them: tooltray install ${id}. Apps that have one: ${others.join(', ')}.`,
  });
}

function ownFile({ name }: KnownApp, file: string): AppError {
  return new AppError('bad_request', `${file} is ${name}’s own config file, for all projects.`, {
    fix: 'Name the folder of a project, or leave --project out.',
  });
}
