/** The commands there are: one entry each, loaded when used. */
import { appCommands } from './app-commands.ts';
import { configFlag, jsonFlag } from './flag-texts.ts';

export interface CommandModule {
  /** `form` is how the command is used, for errors. Resolves to the exit code; throws AppError, `bad_request` for wrong use. */
  readonly run: (args: readonly string[], form: string) => Promise<number>;
}

export interface Command {
  readonly name: string;
  /** Arguments as the help shows them. */
  readonly form: string;
  /** A few words for the overview. */
  readonly about: string;
  /** What the command's own help says besides, line by line. */
  readonly details?: readonly string[];
  /** Under which heading the overview has it; without one it is left out. */
  readonly group?: 'Run' | 'Client apps' | 'Servers' | 'Tools' | 'Look after it';
  readonly load: () => Promise<CommandModule>;
}

const modes = '--mode M         how tools are shown: proxy, search …';

export const commands: readonly Command[] = [
  {
    name: 'serve',
    form: '[--config F] [--mode M] [--port N] [--no-open] [--no-token] [--background] [--json]',
    about: 'run Tooltray and its status page',
    details: [
      configFlag,
      modes,
      '--port N         port of the HTTP endpoint on 127.0.0.1; 0 takes any free one',
      '--no-open        do not open the status page',
      '--no-token       let every program on this machine in (tests only)',
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
  {
    name: 'list',
    form: '[--tools] [--config F] [--json]',
    about: 'servers: state, tools, where they are',
    details: ['--tools          every tool of every server, one line each', configFlag, jsonFlag],
    group: 'Servers',
    load: () => import('./list.ts'),
  },
  {
    name: 'add',
    form: 'NAME COMMAND [ARGS…] | NAME --url URL',
    about: 'add a server',
    details: [
      '--env K=V        a variable for the command; K alone takes it from the environment at each start',
      '--cwd D          the folder the command starts in',
      '--url URL        a server on the network',
      '--header K=V     a header for it; write ${env:NAME} for what is secret',
      '--transport sse  the older transport',
      '--description T  a note for people',
      '--lazy           start it at its first call only',
      '--dry-run        show the entry, write nothing',
      configFlag,
      jsonFlag,
      '',
      'Put -- before the command when its own arguments look like these:',
      '  tooltray add files -- npx -y @modelcontextprotocol/server-filesystem ~/Documents',
    ],
    group: 'Servers',
    load: () => import('./add.ts'),
  },
  {
    name: 'remove',
    form: 'NAME [--config F] [--json]',
    about: 'take a server out of the config',
    details: [configFlag, jsonFlag],
    group: 'Servers',
    load: () => import('./remove.ts'),
  },
  {
    name: 'enable',
    form: 'NAME [--config F] [--json]',
    about: 'switch a server on',
    details: [configFlag, jsonFlag],
    group: 'Servers',
    load: () => import('./enable.ts'),
  },
  {
    name: 'disable',
    form: 'NAME [--config F] [--json]',
    about: 'switch a server off, keeping its entry',
    details: [configFlag, jsonFlag],
    group: 'Servers',
    load: () => import('./disable.ts'),
  },
  {
    name: 'validate',
    form: '[NAME] [--config F] [--json]',
    about: 'check the config file without starting anything',
    details: [configFlag, jsonFlag, '', 'Exit code 1 when something in it is wrong.'],
    group: 'Servers',
    load: () => import('./validate.ts'),
  },
  {
    name: 'test',
    form: '[NAME] [--config F] [--json]',
    about: 'connect to servers once and say how it went',
    details: [
      configFlag,
      jsonFlag,
      '',
      'Uses connections of its own, also beside a running Tooltray. Exit code 1 when one failed.',
    ],
    group: 'Servers',
    load: () => import('./test.ts'),
  },
  {
    name: 'kit',
    form: 'list | export [NAME] [--output F] [--config F] [--json]',
    about: 'bundles of servers: what there is, and your servers as one',
    details: [
      'list             the kits in kit.d beside the config file',
      'export [NAME]    a loaded kit, or all servers, as a kit file; secrets are left out',
      '--output F       write it to this file instead of printing it',
      configFlag,
      jsonFlag,
    ],
    group: 'Servers',
    load: () => import('./kit.ts'),
  },
  {
    name: 'proposals',
    form: '[--json] [--config F]',
    about: 'what models asked to change',
    details: [jsonFlag],
    group: 'Servers',
    load: () => import('./proposals.ts'),
  },
  {
    name: 'approve',
    form: 'ID [--json] [--config F]',
    about: 'say yes to one of them',
    details: [jsonFlag],
    group: 'Servers',
    load: () => import('./approve.ts'),
  },
  {
    name: 'reject',
    form: 'ID [--json] [--config F]',
    about: 'say no to one of them',
    details: [jsonFlag],
    group: 'Servers',
    load: () => import('./reject.ts'),
  },
  {
    name: 'retry',
    form: 'NAME [--json]',
    about: 'let the running Tooltray try a server again now',
    details: [jsonFlag],
    group: 'Servers',
    load: () => import('./retry.ts'),
  },
  {
    name: 'pause',
    form: '[--json]',
    about: 'hold all servers still; calls are refused with a sentence',
    details: [jsonFlag],
    group: 'Servers',
    load: () => import('./pause.ts'),
  },
  {
    name: 'resume',
    form: '[--json]',
    about: 'go on after a pause',
    details: [jsonFlag],
    group: 'Servers',
    load: () => import('./resume.ts'),
  },
  {
    name: 'sign-in',
    form: 'NAME [--no-open] [--config F] [--json]',
    about: 'sign in to a server in your browser',
    details: ['--no-open        only print the address', configFlag, jsonFlag],
    group: 'Servers',
    load: () => import('./sign-in.ts'),
  },
  {
    name: 'search',
    form: 'QUERY [--limit N] [--config F] [--json]',
    about: 'find tools by what they do',
    details: ['--limit N        at most so many (10)', configFlag, jsonFlag],
    group: 'Tools',
    load: () => import('./search.ts'),
  },
  {
    name: 'call',
    form: 'TOOL [JSON | -] [--raw] [--config F] [--json]',
    about: 'call a tool; - reads its arguments from stdin',
    details: [
      '--raw            text exactly as the server sent it',
      '--json           the whole result as JSON',
      configFlag,
      '',
      '  tooltray call utils:current_time \'{"timezone": "Europe/Paris"}\'',
      'Exit code 1 when the tool reports an error.',
    ],
    group: 'Tools',
    load: () => import('./call.ts'),
  },
  {
    name: 'spills',
    form: '[list | show ID | head ID | grep ID PATTERN | query ID JSONPATH | pin ID | unpin ID | delete ID | prune] [--json]',
    about: 'look into the long answers that are kept on disk',
    details: [
      'list             all of them, the newest first',
      'show ID          where it is from, where it lies, its first lines',
      'head ID          its first lines',
      'grep ID PATTERN  the lines that match a regular expression',
      'query ID PATH    what a JSONPath finds: $.items[*].name',
      'pin, unpin ID    keep it for good, or no longer',
      'delete ID        delete it now',
      'prune            delete what is too old or too much',
      '',
      '--lines N        how many lines to show, 20 by default',
      configFlag,
      jsonFlag,
    ],
    group: 'Tools',
    load: () => import('./spills.ts'),
  },
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
