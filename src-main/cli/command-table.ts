/**
 * Lists the commands with their summaries. A command's module is loaded when it is used, so its flags and code are
 * unknown here.
 */
import type { Command } from './command.ts';

interface Entry {
  /** One or two words: `config validate`. */
  readonly name: string;
  /** Summary in a few words; the command's own help extends it to a sentence. */
  readonly about: string;
  readonly load: () => Promise<Command>;
  /** Omitted from the overview and the reference. */
  readonly isHidden: boolean;
}

type Row = readonly [about: string, load: () => Promise<Command>];
type Rows = Readonly<Record<string, Row>>;

const groups: Readonly<Record<string, Rows>> = {
  'Get started': {
    serve: ['Run Tooltray and its dashboard', async () => (await import('./commands/serve.ts')).serve],
    install: ['Connect a client app to Tooltray', async () => (await import('./commands/install.ts')).install],
    import: [
      'Import MCP servers from your client apps or from a file',
      async () => (await import('./commands/import.ts')).importServers,
    ],
    status: [
      'Show whether Tooltray is running and how its servers are doing',
      async () => (await import('./commands/status.ts')).status,
    ],
    doctor: ['Find problems and, with --fix, repair them', async () => (await import('./commands/doctor.ts')).doctor],
    stop: ['Stop the running Tooltray', async () => (await import('./commands/stop.ts')).stop],
  },
  'Client apps': {
    apps: ['List client apps; allow or revoke their access', async () => (await import('./commands/apps.ts')).apps],
    uninstall: [
      'Remove Tooltray from a client app, or from all of them',
      async () => (await import('./commands/uninstall.ts')).uninstall,
    ],
    undo: [
      'Undo a change to a client app, an import, or a rewritten description',
      async () => (await import('./commands/undo.ts')).undo,
    ],
  },
  Servers: {
    list: ['List servers and their status', async () => (await import('./commands/list.ts')).list],
    add: ['Add a server', async () => (await import('./commands/add.ts')).add],
    remove: ['Remove a server', async () => (await import('./commands/remove.ts')).remove],
    enable: ['Enable a server', async () => (await import('./commands/enable.ts')).enable],
    disable: [
      'Disable a server but keep its configuration',
      async () => (await import('./commands/enable.ts')).disable,
    ],
    restart: ['Restart a server', async () => (await import('./commands/restart.ts')).restart],
    test: ['Connect to servers once and report the result', async () => (await import('./commands/test.ts')).test],
    logs: ['Show the log of a server or of Tooltray', async () => (await import('./commands/logs.ts')).logs],
    login: ['Sign in to a server', async () => (await import('./commands/login.ts')).login],
    logout: ['Sign out of a server and revoke its tokens', async () => (await import('./commands/login.ts')).logout],
    pause: ['Pause all servers; calls are rejected', async () => (await import('./commands/pause.ts')).pause],
    resume: ['Resume all servers', async () => (await import('./commands/pause.ts')).resume],
  },
  Tools: {
    tools: ['List the tools of all servers', async () => (await import('./commands/tools.ts')).tools],
    search: ['Search for tools', async () => (await import('./commands/search.ts')).search],
    call: ['Call a tool', async () => (await import('./commands/call.ts')).call],
  },
  Security: {
    inbox: [
      'List pending decisions; approve, reject, or undo them',
      async () => (await import('./commands/security/inbox.ts')).inbox,
    ],
    profile: [
      'Show profiles and manage their access tokens',
      async () => (await import('./commands/security/profile.ts')).profile,
    ],
    secret: ['Manage secrets in the vault', async () => (await import('./commands/security/secret.ts')).secret],
    sandbox: [
      'Show or change the sandbox of a server',
      async () => (await import('./commands/security/sandbox.ts')).sandbox,
    ],
    env: [
      'Show or change the environment variables a server inherits',
      async () => (await import('./commands/security/env.ts')).env,
    ],
    pin: ['Pin the package version of a server', async () => (await import('./commands/security/pin.ts')).pin],
    scan: [
      'Scan tool definitions and texts for prompt injection',
      async () => (await import('./commands/security/scan.ts')).scan,
    ],
    audit: ['Show, verify, or export the audit log', async () => (await import('./commands/security/audit.ts')).audit],
  },
  Monitoring: {
    activity: ['List tool calls and sessions', async () => (await import('./commands/activity.ts')).activity],
    stats: ['Show token savings', async () => (await import('./commands/stats.ts')).stats],
    spill: ['List and read results stored on disk', async () => (await import('./commands/spill.ts')).spill],
  },
  Configuration: {
    'config validate': [
      'Validate the configuration file',
      async () => (await import('./commands/config.ts')).validateConfig,
    ],
    'config path': [
      'Print the path of the configuration file',
      async () => (await import('./commands/config.ts')).configPath,
    ],
    'config edit': [
      'Open the configuration file in $EDITOR and validate it afterwards',
      async () => (await import('./commands/config.ts')).editConfig,
    ],
    registry: [
      'Search MCP registries and add servers from them',
      async () => (await import('./commands/registry.ts')).registry,
    ],
  },
  'Team deployments': {
    'team serve': ['Run a replica of a team', async () => (await import('./commands/team/team-serve.ts')).teamServe],
    'team migrate': [
      'Migrate the database to this version',
      async () => (await import('./commands/team/migrate.ts')).migrateDatabase,
    ],
    'team user': ['Manage users, roles, and groups', async () => (await import('./commands/team/user.ts')).user],
    'team token': ['Manage access tokens of users', async () => (await import('./commands/team/token.ts')).token],
    'team config': [
      'Validate the layered configuration, or show the effective one of a user',
      async () => (await import('./commands/team/team-config.ts')).teamConfig,
    ],
    'team secret': [
      'Manage secrets of the organization and of users',
      async () => (await import('./commands/team/team-secret.ts')).teamSecret,
    ],
    'team login': [
      'Manage sign-ins of users at servers',
      async () => (await import('./commands/team/team-login.ts')).teamLogin,
    ],
  },
};

/** Commands for client apps, and for configurations and scripts written for ToolMux. */
const hidden: Rows = {
  stdio: ['Serve MCP over stdio (used by client apps)', async () => (await import('./commands/stdio.ts')).stdio],
  'build-cache': [
    'Cache the tool lists of all servers',
    async () => (await import('./commands/build-cache.ts')).buildCache,
  ],
  'list-servers': ['List servers in ToolMux format', async () => (await import('./commands/list.ts')).listServers],
};

export const commands: readonly Entry[] = [...Object.values(groups), hidden].flatMap((rows) =>
  Object.entries(rows).map(([name, [about, load]]) => ({ name, about, load, isHidden: rows === hidden })),
);

/** Aliases, as in other command-line tools. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['ls', 'list'],
  ['rm', 'remove'],
]);

/** Returns the command named by the first one or two words; undefined if there is none. */
export function findCommand([first = '', second = '']: readonly string[]): Entry | undefined {
  const word = aliases.get(first) ?? first;
  const named = (wanted: string): Entry | undefined => commands.find(({ name }) => name === wanted);
  return named(`${word} ${second}`) ?? named(word);
}

/** Properties shared by the commands of two words, by their first word. */
const families: Readonly<Record<string, string>> = {
  config: 'Validate, print the path of, or edit the configuration file',
  team: 'Manage the users, tokens, secrets, and configuration of a team, and run its replicas',
};

/** Returns the overview of all commands. */
export function usage(): string {
  const parts = Object.entries(groups).map(([group, rows]) => {
    const shown = new Map(
      Object.entries(rows).map(([name, [about]]) => {
        const [family = ''] = name.split(' ');
        return [family, families[family] ?? about];
      }),
    );
    return `${group}:\n${[...shown].map(([name, about]) => usageRow(name, about)).join('')}`;
  });
  return [
    'Tooltray connects your AI apps to all of your MCP servers through one endpoint.\n',
    'Usage:\n  tooltray <command> [arguments] [flags]\n',
    ...parts,
    globalHelp,
  ].join('\n');
}

/** Returns the commands of two words that begin with this one; undefined if there are none. */
export function familyUsage(family: string): string | undefined {
  const about = families[family];
  if (about === undefined) return undefined;
  const rows = commands.flatMap(({ name, about: text }) =>
    name.startsWith(`${family} `) ? [usageRow(name, text)] : [],
  );
  return `${about}.\n\nUsage:\n  tooltray ${family} <command> [arguments] [flags]\n\nCommands:\n${rows.join('')}\n${more}\n`;
}

function usageRow(name: string, about: string): string {
  return `  ${name.padEnd(14)} ${about}\n`;
}

const more = "Run 'tooltray <command> --help' for more information about a command.";

const globalHelp = `Global flags:
  --config FILE   Use this configuration file
  --json          Print JSON
  -h, --help      Show help for a command
  --version       Print the version

Environment variables:
  TOOLTRAY_HOME        Data and configuration directory (default: the platform's usual directories)
  TOOLTRAY_DATABASE    PostgreSQL URL of a team
  NO_COLOR             Disable colors

Exit codes:
  0  success
  1  failure
  2  invalid usage

Examples:
  tooltray import                                    Import the servers of your client apps
  tooltray install cursor                            Connect Cursor
  tooltray call utils:current_time timezone=Asia/Tokyo
  tooltray inbox                                     Show pending decisions

${more}
Documentation: docs/reference/cli.md
`;
