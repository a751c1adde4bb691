/** Servers that have a process for each person, for tests: a front's managed server, and runners in the same process. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StdioServerConfig } from '../../../src-main/core/config/app-config.ts';
import type { CallContext } from '../../../src-main/core/servers/calls-in-flight.ts';
import type { Person } from '../../../src-main/core/servers/personal-lines.ts';
import { LazyTransport } from '../../../src-main/core/servers/transports/create-transport.ts';
import type { Transport } from '../../../src-main/core/wire/transport.ts';
import { localLine } from '../../../src-main/team/placement/local-line.ts';
import { PersonalLaunch, type PersonalLaunchOptions } from '../../../src-main/team/placement/personal-launch.ts';
import {
  type Hold,
  PersonalRunner,
  type PersonalRunnerOptions,
} from '../../../src-main/team/placement/personal-runner.ts';
import { contextOf, type ServersHarness, serversHarness } from '../../core/servers/servers-harness.ts';

export const ann: Person = { tenant: 'main', user: 'ann' };
export const bob: Person = { tenant: 'main', user: 'bob' };
/** Of another tenant, with a name that is there as well. */
export const otherAnn: Person = { tenant: 'other', user: 'ann' };

export function as(principal: Person, sessionId = principal.user, more: Partial<CallContext> = {}): CallContext {
  return contextOf(sessionId, { principal, ...more });
}

type Options = Partial<PersonalRunnerOptions> & Partial<Pick<PersonalLaunchOptions, 'env' | 'readOwn' | 'readSecret'>>;

export interface People {
  readonly harness: ServersHarness;
  readonly runner: PersonalRunner;
  /** The counter server, of which each person has a process. */
  readonly counter: (more?: Partial<StdioServerConfig>, args?: readonly string[]) => StdioServerConfig;
}

const always: Hold = {
  over: new AbortController().signal,
  isOver: () => false,
  follow: () => undefined,
  release: () => Promise.resolve(),
};

export function people(options: Options = {}): People {
  const configs = new Map<string, StdioServerConfig>();
  const harness: ServersHarness = serversHarness({
    personal: (config, person) => new LazyTransport(() => lineTo(runner, person, config.name)),
  });
  const runner = personalRunner(harness, (name) => configs.get(name), options);
  onTestFinished(() => runner.stop());
  return {
    harness,
    runner,
    counter: (more = {}, args = []) => {
      const config = counterConfig(harness, more, args);
      configs.set(config.name, config);
      return config;
    },
  };
}

export function counterConfig(
  harness: ServersHarness,
  more: Partial<StdioServerConfig> = {},
  args: readonly string[] = [],
): StdioServerConfig {
  const file = '../../team/placement/counter-server';
  // The tests' computer need not have bubblewrap.
  const unboxed = { isolation: { mode: 'none' }, placement: 'personal' as const };
  return harness.fixture('counter', file, args, { ...unboxed, ...more });
}

export function personalRunner(
  harness: ServersHarness,
  find: PersonalRunnerOptions['find'],
  { env, readOwn, readSecret, ...options }: Options = {},
): PersonalRunner {
  const launch = new PersonalLaunch({
    env: env ?? process.env,
    folder: join(harness.folder, 'people'),
    hidden: { folders: [], files: [] },
    sockets: harness.folder,
    registry: harness.registry,
    mask: (text) => text,
    readSecret: readSecret ?? (() => Promise.resolve(undefined)),
    readOwn: readOwn ?? (() => Promise.resolve(undefined)),
  });
  return new PersonalRunner({
    identity: harness.deps.identity,
    find,
    launch: (config, person, onStarted) => launch.transport(config, person, onStarted),
    guard: { allow: () => undefined, forget: () => undefined },
    hold: () => Promise.resolve(always),
    limits: () => ({ idleMs: 60_000, most: 100 }),
    now: () => performance.now(),
    ...options,
  });
}

export async function lineTo(runner: PersonalRunner, person: Person, server: string): Promise<Transport> {
  const [front, end] = localLine();
  await runner.serve(end, person, server);
  return front;
}
