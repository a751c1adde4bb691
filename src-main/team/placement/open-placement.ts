/** Runs the servers that have a process for each user on this replica. Composition; no logic. */
import { dirname, join } from 'node:path';
import type { CoreGroups, LaunchPolicy, Person } from '../../core/edition.ts';
import type { Env } from '../../core/base/app-paths.ts';
import type { TeamHostContext } from '../../host/team-host.ts';
import { PersonLocks } from './person-locks.ts';
import { UserProcessLauncher } from './user-process-launcher.ts';
import { PersonalProcesses } from './personal-processes.ts';

export interface PlacementOptions {
  readonly host: TeamHostContext;
  readonly env: Env;
  readonly policy: LaunchPolicy;
  /** Direct PostgreSQL URL, without a pooler. */
  readonly database: string;
  /** Available once the core is created. */
  readonly core: () => Pick<CoreGroups, 'context' | 'trust' | 'clients' | 'servers'>;
  /** Returns a user's own value, by its vault name. */
  readonly readOwn: (person: Person, name: string) => Promise<string | undefined>;
}

export interface OpenPersonalProcesses {
  readonly processes: PersonalProcesses;
  /** Ends every process. Never rejects. */
  readonly stop: () => Promise<void>;
}

export function openPlacement({ host, env, policy, database, core, readOwn }: PlacementOptions): OpenPersonalProcesses {
  const { paths, masker } = host;
  const launch = new UserProcessLauncher({
    env,
    readOwn,
    registry: () => core().servers.processes,
    folder: join(paths.dataDir, 'people'),
    policy,
    sockets: dirname(paths.socketPath),
    mask: (text) => masker.maskText(text),
    budgets: () => core().clients.budgets,
    readSecret: (name) => core().trust.vault.read(name),
  });
  void launch.sweep();
  const locks = new PersonLocks(database);
  const processes = new PersonalProcesses({
    launch: (config, person) => launch.transport(config, person),
    locks,
    limits: () => core().context.config.current.userProcesses,
  });
  return {
    processes,
    stop: async () => {
      await processes.stop();
      await locks.close();
    },
  };
}
