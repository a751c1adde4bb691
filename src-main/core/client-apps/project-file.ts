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
    throw new AppError(
      'not_allowed',
      `${file} leads outside of the project, so it was not changed. ${errorText(cause)}`,
      {
        fix: 'Replace the link with a file.',
        cause,
      },
    );
  });
  return { app, file, project };
}

/** Returns a warning to show before a project's file is changed. */
export function projectWarning({ command, env }: StdioLaunch): string {
  const about = 'This file belongs to the project and may be shared with it. No password or token is written to it.';
  if (env !== undefined)
    return `${about} It refers to the folder of this private Tooltray, so it does not work on other machines.`;
  if (command === sharedCommand) return `${about} Other users need Tooltray on their PATH.`;
  return `${about} The entry contains a path of this machine, so it does not work on others. Once ${sharedCommand} is on your PATH, its name is written instead.`;
}

/** An address would require the user's token in the file. */
export function tokenInProjectError(): AppError {
  return new AppError('unsupported', 'A project’s file may be shared, so no URL with a token is written to it.', {
    fix: 'Omit --http; the entry then starts Tooltray with a command.',
  });
}

function noProjects({ id, name }: KnownApp): AppError {
  const others = knownApps.filter(supportsProjects).map((app) => app.id);
  return new AppError('unsupported', `${name} has no config file for single projects.`, {
    fix: `Connect it for all projects: tooltray install ${id}. Apps with project files: ${others.join(', ')}.`,
  });
}

function ownFile({ name }: KnownApp, file: string): AppError {
  return new AppError('bad_request', `${file} is the config file of ${name} for all projects.`, {
    fix: 'Set the folder of a project, or omit --project.',
  });
}
