/** The commands about client apps. */
import type { Command } from './commands.ts';
import { configFlag, jsonFlag } from './flag-texts.ts';

const changeFlags = [
  '--dry-run        show the change, write nothing',
  '--yes            do not ask',
  configFlag,
  jsonFlag,
];

export const appCommands: readonly Command[] = [
  {
    name: 'apps',
    form: '[--config F] [--json]',
    about: 'client apps on this machine, and which use Tooltray',
    details: [configFlag, jsonFlag],
    group: 'Client apps',
    load: () => import('./apps.ts'),
  },
  {
    name: 'install',
    form: 'APP [--dry-run] [--yes] [--config F] [--json]',
    about: 'connect a client app: shown first, tried, undone with undo',
    details: [...changeFlags, '', 'APP as `tooltray apps` names it: claude-desktop, cursor, vscode …'],
    group: 'Client apps',
    load: () => import('./install.ts'),
  },
  {
    name: 'uninstall',
    form: 'APP [--dry-run] [--yes] [--config F] [--json]',
    about: 'take Tooltray out of a client app',
    details: changeFlags,
    group: 'Client apps',
    load: () => import('./uninstall.ts'),
  },
  {
    name: 'import',
    form: '[NAMES…] [--app APP | --file F] [--move] [--dry-run] [--yes] [--config F] [--json]',
    about: 'bring over servers that your apps have, or a file',
    details: [
      'NAMES            only these; NAME=NEW gives one another name',
      '--app APP        only those of this app',
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
    form: '[ID] [--dry-run] [--yes] [--config F] [--json]',
    about: 'take back the last change of a client app, or an import',
    details: changeFlags,
    group: 'Client apps',
    load: () => import('./undo.ts'),
  },
];
