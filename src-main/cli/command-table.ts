/** The commands there are, as the overview names them. Each is loaded when it is used; of flags and code nothing is known here. */
import type { Command } from './command.ts';

interface Entry {
  readonly name: string;
  /** A few words; its own help makes a sentence of them. */
  readonly about: string;
  readonly load: () => Promise<Command>;
  /** Left out of the overview. */
  readonly isHidden: boolean;
}

type Row = readonly [about: string, load: () => Promise<Command>];

const groups: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Run: {
    serve: ['run Tooltray and its status page', async () => (await import('./commands/serve.ts')).serve],
    stdio: [
      'what a client app starts: MCP on stdin and stdout',
      async () => (await import('./commands/stdio.ts')).stdio,
    ],
  },
  'Client apps': {
    apps: [
      'client apps on this machine, and which may use Tooltray',
      async () => (await import('./commands/apps.ts')).apps,
    ],
    install: [
      'connect a client app: shown first, tried, undone with undo',
      async () => (await import('./commands/install.ts')).install,
    ],
    uninstall: [
      'take Tooltray out of a client app, or of all of them',
      async () => (await import('./commands/uninstall.ts')).uninstall,
    ],
    revoke: [
      'take a client app’s access back, its config file left as it is',
      async () => (await import('./commands/revoke.ts')).revoke,
    ],
    import: [
      'bring over servers that your apps have, or a file',
      async () => (await import('./commands/import.ts')).importServers,
    ],
    undo: [
      'take back the last change of a client app, an import, or a written description',
      async () => (await import('./commands/undo.ts')).undo,
    ],
  },
  Servers: {
    list: ['servers: state, tools, where they are', async () => (await import('./commands/list.ts')).list],
    add: ['add a server', async () => (await import('./commands/add.ts')).add],
    registry: [
      'look servers up in registries, see what one would run, and add it',
      async () => (await import('./commands/registry.ts')).registry,
    ],
    remove: ['take a server out of the config', async () => (await import('./commands/remove.ts')).remove],
    enable: ['switch a server on', async () => (await import('./commands/enable.ts')).enable],
    disable: ['switch a server off, keeping its entry', async () => (await import('./commands/enable.ts')).disable],
    validate: [
      'check the config file without starting anything',
      async () => (await import('./commands/validate.ts')).validate,
    ],
    test: ['connect to servers once and say how it went', async () => (await import('./commands/test.ts')).test],
    logs: [
      "what a server said and what became of it; without a name: Tooltray's own log",
      async () => (await import('./commands/logs.ts')).logs,
    ],
    pin: [
      'write down which version of its package a server is, so that no other one is fetched',
      async () => (await import('./commands/trust/pin.ts')).pin,
    ],
    env: [
      'which variables of your login a server gets, by name, and giving it some',
      async () => (await import('./commands/trust/env.ts')).env,
    ],
    secret: [
      'keys and passwords for servers, kept sealed instead of in the config',
      async () => (await import('./commands/trust/secret.ts')).secret,
    ],
    isolate: [
      'where servers run and what they reach; put one into a box',
      async () => (await import('./commands/trust/isolate.ts')).isolate,
    ],
    inbox: [
      'what waits for your decision, and what you decided',
      async () => (await import('./commands/trust/inbox.ts')).inbox,
    ],
    review: [
      'what a server would run before it may, and your word on it',
      async () => (await import('./commands/trust/review.ts')).review,
    ],
    profiles: [
      'named sets of servers and tools, and tokens that open one until a day',
      async () => (await import('./commands/trust/profiles.ts')).profiles,
    ],
    proposals: ['what models asked to change', async () => (await import('./commands/trust/proposals.ts')).proposals],
    approve: ['say yes to them', async () => (await import('./commands/trust/proposals.ts')).approve],
    reject: ['say no to them', async () => (await import('./commands/trust/proposals.ts')).reject],
    retry: ['let the running Tooltray try a server again now', async () => (await import('./commands/retry.ts')).retry],
    pause: [
      'hold all servers still; calls are refused with a sentence',
      async () => (await import('./commands/pause.ts')).pause,
    ],
    resume: ['go on after a pause', async () => (await import('./commands/pause.ts')).resume],
    'sign-in': ['sign in to a server in your browser', async () => (await import('./commands/sign-in.ts')).signIn],
    'sign-out': [
      'sign out of a server: what it was granted is taken back',
      async () => (await import('./commands/sign-in.ts')).signOut,
    ],
  },
  Tools: {
    search: ['find tools by what they do', async () => (await import('./commands/search.ts')).search],
    scan: [
      'look what servers say for what attacks are made of',
      async () => (await import('./commands/trust/scan.ts')).scan,
    ],
    call: [
      'call a tool, or a helper tool of a mode; - reads its arguments from stdin',
      async () => (await import('./commands/call.ts')).call,
    ],
    spills: [
      'look into the long answers that are kept on disk',
      async () => (await import('./commands/spills.ts')).spills,
    ],
  },
  'Look after it': {
    activity: ['the calls that were made', async () => (await import('./commands/activity.ts')).activity],
    audit: [
      'what was decided, refused, changed and called, and whether the record holds',
      async () => (await import('./commands/trust/audit.ts')).audit,
    ],
    stats: ['what Tooltray saved, in tokens', async () => (await import('./commands/stats.ts')).stats],
    status: [
      'whether Tooltray runs, where it listens, and how its servers are',
      async () => (await import('./commands/status.ts')).status,
    ],
    doctor: ['look for anything that needs you', async () => (await import('./commands/doctor.ts')).doctor],
    'build-cache': [
      'list every server once, so that later starts are quick',
      async () => (await import('./commands/build-cache.ts')).buildCache,
    ],
  },
  'A team': {
    migrate: [
      'bring a team’s database to the schema of this version',
      async () => (await import('./commands/team/migrate.ts')).migrateDatabase,
    ],
    user: ['a team’s people: who may use it, and as what', async () => (await import('./commands/team/user.ts')).user],
    token: [
      'personal tokens of a team’s people, each until a day',
      async () => (await import('./commands/team/token.ts')).token,
    ],
    'team-config': [
      'check a team’s config in layers, and show what it comes to for somebody',
      async () => (await import('./commands/team/team-config.ts')).teamConfig,
    ],
    'team-secret': [
      'keys and passwords for a team’s servers, the organisation’s and each user’s own',
      async () => (await import('./commands/team/team-secret.ts')).teamSecret,
    ],
    'team-sign-in': [
      'where people of a team are signed in to servers; a link for them, and the way out',
      async () => (await import('./commands/team/team-sign-in.ts')).teamSignIn,
    ],
  },
};

/** For scripts of others. */
const hidden: Readonly<Record<string, Row>> = {
  'list-servers': ['servers as ToolMux lists them', async () => (await import('./commands/list.ts')).listServers],
};

export const commands: readonly Entry[] = [...Object.values(groups), hidden].flatMap((rows) =>
  Object.entries(rows).map(([name, [about, load]]) => ({ name, about, load, isHidden: rows === hidden })),
);

/** The overview. */
export function usage(): string {
  const parts = Object.entries(groups).map(([group, rows]) => {
    const lines = Object.entries(rows).map(([name, [about]]) => `  ${name.padEnd(12)} ${about}`);
    return `${group}:\n${lines.join('\n')}\n`;
  });
  return [
    'Tooltray puts all of your MCP servers behind one connection.\n',
    'Usage: tooltray COMMAND [arguments]\n',
    ...parts,
    'tooltray COMMAND --help tells more, tooltray --version the version. Exit codes: 0 done, 1 failed, 2 wrong use.\n',
    'As with ToolMux: --list-servers, --build-cache, --manage [list|add|remove|validate|test], --mode M, --config F.\n',
  ].join('\n');
}
