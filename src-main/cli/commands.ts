/** The commands there are: one entry each, loaded when used. */
import { appCommands } from './app-commands.ts';
import type { Command } from './command.ts';
import { configFlag, jsonFlag } from './flag-texts.ts';
import { serverCommands } from './server-commands.ts';
import { toolCommands } from './tool-commands.ts';

const modes = '--mode M         how tools are shown: proxy, search …';

export const commands: readonly Command[] = [
  {
    name: 'serve',
    form: '[--config F] [--mode M] [--port N] [--no-open] [--no-token] [--keep-link] [--background] [--json]',
    about: 'run Tooltray and its status page',
    details: [
      configFlag,
      modes,
      '--port N         port of the HTTP endpoint on 127.0.0.1; 0 takes any free one',
      '--no-open        do not open the status page',
      '--no-token       let every program on this machine in (tests only)',
      '--keep-link      keep the dashboard’s link over restarts; else it is new with each start',
      '--background     print nothing, write the log only',
      '--json           print one line of JSON when listening: http, socket, pid, config, tokenFile',
    ],
    group: 'Run',
    load: () => import('./serve.ts'),
  },
  {
    name: 'stdio',
    form: '[--app NAME] [--mode M] [--config F] [--standalone]',
    about: 'what a client app starts: MCP on stdin and stdout',
    details: [
      '--app NAME       the client app, as the status page shows it',
      modes,
      configFlag,
      '--standalone     serve from this process instead of the running Tooltray',
    ],
    group: 'Run',
    load: () => import('./stdio.ts'),
  },
  ...serverCommands,
  ...toolCommands,
  {
    name: 'stats',
    form: '[--by KEY] [--since WHEN] [--config F] [--json]',
    about: 'what Tooltray saved, in tokens',
    details: [
      '--by KEY         rows for each cause (the usual), app, server, tool, day, session or mode',
      '--since WHEN     only the last 7d, 12h …, or from a date on',
      configFlag,
      jsonFlag,
      '',
      'WITHOUT US: lists and instructions the apps would have loaded. SPENT: what they loaded of ours.',
      'ANSWERS: what servers answered. GIVEN: what the apps got of it. READ BACK: what they read of kept answers later.',
    ],
    group: 'Look after it',
    load: () => import('./stats.ts'),
  },
  {
    name: 'status',
    form: '[--json]',
    about: 'whether Tooltray runs, where it listens, and how its servers are',
    details: [jsonFlag, '', 'Exit code 1 when it does not run.'],
    group: 'Look after it',
    load: () => import('./status.ts'),
  },
  {
    name: 'doctor',
    form: '[--fix] [--yes] [--config F] [--json]',
    about: 'look for anything that needs you',
    details: [
      '--fix            mend servers that do not start, from what your other apps launch',
      '--yes            do not ask before something of another app is tried',
      configFlag,
      jsonFlag,
      '',
      'Exit code 1 when something does.',
    ],
    group: 'Look after it',
    load: () => import('./doctor.ts'),
  },
  ...appCommands,
  {
    name: 'build-cache',
    form: '[--config F] [--json]',
    about: 'list every server once, so that later starts are quick',
    details: [configFlag, jsonFlag],
    group: 'Look after it',
    load: () => import('./build-cache.ts'),
  },
  {
    name: 'list-servers',
    form: '[--config F]',
    about: 'servers as ToolMux lists them',
    load: () => import('./list-servers.ts'),
  },
];

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}
