/** The commands about client apps. */
import type { Command } from './command.ts';
import { configFlag, jsonFlag } from './flag-texts.ts';

const projectFlag =
  '--project [DIR]  the app’s file in a project instead of your own; without DIR in the current folder';

const changeFlags = [
  '--dry-run        show the change, write nothing',
  '--yes            do not ask',
  configFlag,
  jsonFlag,
];

export const appCommands: readonly Command[] = [
  {
    name: 'apps',
    form: '[--project [DIR]] [--config F] [--json]',
    about: 'client apps on this machine, and which may use Tooltray',
    details: [
      '--project [DIR]  what they read in a project; without DIR in the current folder',
      configFlag,
      jsonFlag,
      '',
      'ACCESS: by which way its config file reaches Tooltray, and since when; or that it was revoked. SEEN: when it connected or left.',
    ],
    group: 'Client apps',
    load: () => import('./apps.ts'),
  },
  {
    name: 'install',
    form: 'APP [--http] [--project [DIR]] [--dry-run] [--yes] [--config F] [--json]',
    about: 'connect a client app: shown first, tried, undone with undo',
    details: [
      '--http           by an address and a token of its own; the usual command also starts Tooltray where it does not run',
      projectFlag,
      ...changeFlags,
      '',
      'APP as `tooltray apps` names it: claude-desktop, cursor, vscode …',
      'Gives an app that was revoked its access back. One that has an address keeps it: uninstall it to go back to the command.',
    ],
    group: 'Client apps',
    load: () => import('./install.ts'),
  },
  {
    name: 'uninstall',
    form: 'APP [--project [DIR]] [--dry-run] [--yes] [--config F] [--json]',
    about: 'take Tooltray out of a client app',
    details: [projectFlag, ...changeFlags],
    group: 'Client apps',
    load: () => import('./uninstall.ts'),
  },
  {
    name: 'revoke',
    form: 'APP [--config F] [--json]',
    about: 'take a client app’s access back, its config file left as it is',
    details: [
      configFlag,
      jsonFlag,
      '',
      'Its token opens nothing from now on, `stdio --app APP` is refused, and what it has open ends.',
      'tooltray install APP, or Allow in the dashboard’s settings, gives it back.',
    ],
    group: 'Client apps',
    load: () => import('./revoke.ts'),
  },
  {
    name: 'import',
    form: '[NAMES…] [--app APP | --file F] [--project [DIR]] [--move] [--dry-run] [--yes] [--config F] [--json]',
    about: 'bring over servers that your apps have, or a file',
    details: [
      'NAMES            only these; NAME=NEW gives one another name',
      '--app APP        only those of this app',
      '--project [DIR]  those that apps read in a project; without DIR in the current folder',
      '--file F         from a file of any product, a .mcpb bundle, or - for text on stdin',
      '--move           replace them in the apps by Tooltray',
      '--set K=V        a setting that a bundle asks for; several times for several values',
      ...changeFlags,
      '',
      'Servers that are here already, by what they start, are left out.',
    ],
    group: 'Client apps',
    load: () => import('./import.ts'),
  },
  {
    name: 'undo',
    form: '[ID] [--project [DIR]] [--dry-run] [--yes] [--config F] [--json]',
    about: 'take back the last change of a client app, or an import',
    details: ['--project [DIR]  the last one in that project; without DIR in the current folder', ...changeFlags],
    group: 'Client apps',
    load: () => import('./undo.ts'),
  },
];
