/** The helper tools' view of servers in a profile: its own servers only, read-only. */
import type { ModelAdmin } from '../admin/server-admin.ts';
import { AppError } from '../base/errors.ts';
import type { ServerSet } from '../servers/server-manager.ts';
import type { ProfileScope } from './profile-scope.ts';

/** `servers`: those of the profile. */
export function createScopedAdmin(admin: ModelAdmin, servers: ServerSet, scope: ProfileScope): ModelAdmin {
  const requireOwn = (server: string): string => servers.get(server).config.name;
  const refuse = (): Promise<never> => Promise.reject(noChanges());
  return {
    proposalsChanged: admin.proposalsChanged,
    recorded: admin.recorded,
    configPath: admin.configPath,
    list: () => admin.list().filter(({ name }) => scope.hasServer(name)),
    validate: async () => (await admin.validate()).filter(({ name }) => scope.hasServer(name)),
    probe: async (server, rousing, limitMs) => admin.probe(requireOwn(server), rousing, limitMs),
    log: (server, count) => admin.log(requireOwn(server), count),
    hasRequested: (author) => admin.hasRequested(author),
    findLaunch: refuse,
    reload: refuse,
    request: refuse,
  };
}

/** Always the same error, so that it does not reveal what exists. */
function noChanges(): AppError {
  return new AppError('not_allowed', 'Servers cannot be changed on a connection with a profile.', {
    fix: 'Tell the user what to change; they can do it themselves.',
  });
}
