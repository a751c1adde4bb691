/**
 * The commands there are, as the overview names them. Each is loaded when it is used; of flags and code nothing is
 * known here.
 */
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
    serve: [
      'Start Tooltray with its dashboard and HTTP endpoint',
      async () => (await import('./commands/serve.ts')).serve,
    ],
    stdio: ['Serve MCP over stdio (used by client apps)', async () => (await import('./commands/stdio.ts')).stdio],
  },
  'Client apps': {
    apps: ['List client apps and their access', async () => (await import('./commands/apps.ts')).apps],
    install: ['Connect a client app to Tooltray', async () => (await import('./commands/install.ts')).install],
    uninstall: [
      'Disconnect a client app, or all of them',
      async () => (await import('./commands/uninstall.ts')).uninstall,
    ],
    revoke: [
      'Revoke access for a client app without changing its configuration file',
      async () => (await import('./commands/revoke.ts')).revoke,
    ],
    import: [
      'Import servers from your apps or a file',
      async () => (await import('./commands/import.ts')).importServers,
    ],
    undo: [
      'Undo a change to a client app, an import or a rewritten description',
      async () => (await import('./commands/undo.ts')).undo,
    ],
  },
  Servers: {
    list: ['List servers and their status', async () => (await import('./commands/list.ts')).list],
    add: ['Add a server', async () => (await import('./commands/add.ts')).add],
    registry: [
      'Search registries and add servers from them',
      async () => (await import('./commands/registry.ts')).registry,
    ],
    remove: ['Remove a server', async () => (await import('./commands/remove.ts')).remove],
    enable: ['Enable a server', async () => (await import('./commands/enable.ts')).enable],
    disable: ['Disable a server without removing it', async () => (await import('./commands/enable.ts')).disable],
    validate: ['Validate the configuration file', async () => (await import('./commands/validate.ts')).validate],
    test: ['Test the connection to servers', async () => (await import('./commands/test.ts')).test],
    logs: ['Show the log of a server or of Tooltray', async () => (await import('./commands/logs.ts')).logs],
    pin: ['Pin a server to a package version', async () => (await import('./commands/security/pin.ts')).pin],
    env: [
      'Show or set which environment variables a server inherits',
      async () => (await import('./commands/security/env.ts')).env,
    ],
    secret: ['Manage secrets in the vault', async () => (await import('./commands/security/secret.ts')).secret],
    isolate: [
      'Show or set the sandbox of a server',
      async () => (await import('./commands/security/isolate.ts')).isolate,
    ],
    inbox: ['List and decide pending items', async () => (await import('./commands/security/inbox.ts')).inbox],
    review: [
      'Review a new or changed server before it starts',
      async () => (await import('./commands/security/review.ts')).review,
    ],
    profiles: [
      'Show profiles and manage their tokens',
      async () => (await import('./commands/security/profiles.ts')).profiles,
    ],
    proposals: [
      'List changes proposed by models',
      async () => (await import('./commands/security/proposals.ts')).proposals,
    ],
    approve: ['Approve proposed changes', async () => (await import('./commands/security/proposals.ts')).approve],
    reject: ['Reject proposed changes', async () => (await import('./commands/security/proposals.ts')).reject],
    retry: ['Restart a server now', async () => (await import('./commands/retry.ts')).retry],
    pause: ['Pause all servers; calls are rejected', async () => (await import('./commands/pause.ts')).pause],
    resume: ['Resume all servers', async () => (await import('./commands/pause.ts')).resume],
    'sign-in': ['Sign in to a server with OAuth', async () => (await import('./commands/sign-in.ts')).signIn],
    'sign-out': [
      'Sign out of a server and revoke its tokens',
      async () => (await import('./commands/sign-in.ts')).signOut,
    ],
  },
  Tools: {
    search: ['Search tools', async () => (await import('./commands/search.ts')).search],
    scan: [
      'Scan tool definitions for prompt injection and tool poisoning',
      async () => (await import('./commands/security/scan.ts')).scan,
    ],
    call: ['Call a tool', async () => (await import('./commands/call.ts')).call],
    spills: ['Inspect results spilled to disk', async () => (await import('./commands/spills.ts')).spills],
  },
  Monitoring: {
    activity: ['Show recorded calls and sessions', async () => (await import('./commands/activity.ts')).activity],
    audit: ['Show, verify and export the audit log', async () => (await import('./commands/security/audit.ts')).audit],
    stats: ['Show token savings', async () => (await import('./commands/stats.ts')).stats],
    status: ['Show the status of the running Tooltray', async () => (await import('./commands/status.ts')).status],
    doctor: ['Diagnose problems', async () => (await import('./commands/doctor.ts')).doctor],
    'build-cache': [
      'Cache the tool lists of all servers',
      async () => (await import('./commands/build-cache.ts')).buildCache,
    ],
  },
  'Team deployments': {
    migrate: [
      'Migrate the team database to this version',
      async () => (await import('./commands/team/migrate.ts')).migrateDatabase,
    ],
    user: ['Manage team users, roles and groups', async () => (await import('./commands/team/user.ts')).user],
    token: ['Manage access tokens of team users', async () => (await import('./commands/team/token.ts')).token],
    'team-config': [
      'Validate the layered team config, or show the effective config of a user',
      async () => (await import('./commands/team/team-config.ts')).teamConfig,
    ],
    'team-secret': [
      'Manage organization and user secrets',
      async () => (await import('./commands/team/team-secret.ts')).teamSecret,
    ],
    'team-sign-in': [
      'Manage server sign-ins of team users',
      async () => (await import('./commands/team/team-sign-in.ts')).teamSignIn,
    ],
  },
};

/** For scripts of others. */
const hidden: Readonly<Record<string, Row>> = {
  'list-servers': ['List servers in ToolMux format', async () => (await import('./commands/list.ts')).listServers],
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
    'All of your MCP servers behind one connection.\n',
    'Usage: tooltray COMMAND [arguments]\n',
    ...parts,
    'Run `tooltray COMMAND --help` for details. Exit codes: 0 success, 1 failure, 2 wrong usage.\n',
    'Flags of ToolMux: --list-servers, --build-cache, --manage [list|add|remove|validate|test], --mode M, --config F.\n',
  ].join('\n');
}
