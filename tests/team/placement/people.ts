/** Servers with a process per user, for tests. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StdioServerConfig } from '../../../src-main/core/config/server-config.ts';
import type { CallContext } from '../../../src-main/core/servers/in-flight-calls.ts';
import type { Person } from '../../../src-main/core/security/principal.ts';
import {
  UserProcessLauncher,
  type UserProcessLauncherOptions,
} from '../../../src-main/team/placement/user-process-launcher.ts';
import {
  PersonalProcesses,
  type PersonalProcessesOptions,
} from '../../../src-main/team/placement/personal-processes.ts';
import { contextOf, type ServersHarness, serversHarness } from '../../core/servers/servers-harness.ts';

export const ann: Person = { user: 'ann' };
export const bob: Person = { user: 'bob' };

export function as(principal: Person, sessionId = principal.user, more: Partial<CallContext> = {}): CallContext {
  return contextOf(sessionId, { principal, ...more });
}

type Options = Partial<PersonalProcessesOptions> &
  Partial<Pick<UserProcessLauncherOptions, 'env' | 'readOwn' | 'readSecret'>>;

export interface People {
  readonly harness: ServersHarness;
  readonly processes: PersonalProcesses;
  /** The counter server, with a process per user. */
  readonly counter: (more?: Partial<StdioServerConfig>, args?: readonly string[]) => StdioServerConfig;
}

const noLocks: PersonalProcessesOptions['locks'] = {
  acquire: () => Promise.resolve({ release: () => Promise.resolve() }),
};

export function people({ env, readOwn, readSecret, ...options }: Options = {}): People {
  const harness: ServersHarness = serversHarness({ personal: (config, person) => processes.open(config, person) });
  const launch = new UserProcessLauncher({
    env: env ?? process.env,
    folder: join(harness.folder, 'people'),
    policy: {
      hidden: { folders: [], files: [] },
      allowsUnconfined: true,
      limits: () => ({ memoryMB: 2048, processes: 512, openFiles: 4096, cpus: 2 }),
    },
    sockets: join(harness.folder, 'run'),
    registry: () => harness.registry,
    mask: (text) => text,
    readSecret: readSecret ?? (() => Promise.resolve(undefined)),
    readOwn: readOwn ?? (() => Promise.resolve(undefined)),
  });
  const processes = new PersonalProcesses({
    launch: (config, person) => launch.transport(config, person),
    locks: noLocks,
    limits: () => ({ maxPerReplica: 100, maxPerUser: 100 }),
    ...options,
  });
  onTestFinished(() => processes.stop());
  return { harness, processes, counter: (...wishes) => counterConfig(harness, ...wishes) };
}

/** PID, as seen from outside its sandbox, of the most recently started process. */
export function newestPid({ registry }: ServersHarness): number {
  return registry.owned().at(-1)?.pid ?? Number.NaN;
}

export function counterConfig(
  harness: ServersHarness,
  more: Partial<StdioServerConfig> = {},
  args: readonly string[] = [],
): StdioServerConfig {
  const file = '../../team/placement/counter-server';
  // The server and the tests share files.
  const unboxed = { isolation: { mode: 'none' }, placement: 'per-user' as const };
  return harness.fixture('counter', file, args, { ...unboxed, ...more });
}
