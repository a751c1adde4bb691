/**
 * What a replica has to do with servers that have a process for each person: the lines of its core to them, at whichever runner they are,
 * and its own runner where it has that role. Composition; no logic.
 */
import { dirname, join } from 'node:path';
import type { Env } from '../../core/base/app-paths.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import type { PersonalSettings, StdioServerConfig } from '../../core/config/app-config.ts';
import { placementOf } from '../../core/config/placement.ts';
import { ownPlaces } from '../../core/security/own-places.ts';
import { ownIdentity } from '../../core/servers/handshake.ts';
import { ProcessRegistry } from '../../core/servers/launch/process-registry.ts';
import type { OpenPersonal } from '../../core/servers/server-deps.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import type { TeamRoom } from '../../host/team-seams.ts';
import type { Database } from '../database/database.ts';
import type { OpenReplicas } from '../replicas/open-replicas.ts';
import { followPeople, type FollowPeopleParts } from './follow-people.ts';
import { FindRunner, type Runner } from './find-runner.ts';
import { Leases } from './leases.ts';
import { PersonLine } from './person-line.ts';
import { PersonalLaunch } from './personal-launch.ts';
import { type PersonalCounts, PersonalRunner } from './personal-runner.ts';
import { ProcessGuard } from './process-guard.ts';
import { otherRunner, ownRunner, takeLines } from './runners.ts';

export interface PersonalOptions {
  readonly room: TeamRoom;
  readonly env: Env;
  readonly version: string;
  /** Whose installation it is, whatever its core calls it. */
  readonly tenant: string;
  /** As others find a process that is here. */
  readonly replica: string;
  /** undefined: it is the only one. */
  readonly replicas: OpenReplicas | undefined;
  readonly database: Database;
  /** Once it is made. */
  readonly core: () => Pick<Aggregator, 'options' | 'vault' | 'budgets'>;
  /** A person's own values, by the vault's names. */
  readonly readOwn: (person: Person, name: string) => Promise<string | undefined>;
}

export interface Placement {
  readonly line: OpenPersonal;
  /** undefined: it runs none. */
  readonly counts: () => PersonalCounts | undefined;
  /** Ends what is nobody's any more. Returns how to stop. */
  readonly follow: (parts: FollowPeopleParts) => () => void;
  /** The config is another one. */
  readonly configChanged: () => void;
  /** Lets calls finish for so long, in ms, and others begin what is needed next. Never rejects. */
  readonly drain: (mostMs: number) => Promise<void>;
  /** Ends every process. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Another one's right is waited for a little longer than it can last, in ms. */
const sparePatienceMs = 5_000;

export function openPersonal(options: PersonalOptions): Placement {
  const { core, replicas, tenant } = options;
  const settings = (): PersonalSettings => core().options.config.current.personal;
  const own = replicas?.role === 'front' ? undefined : openRunner(options, settings);
  const registry = replicas?.registry;
  const here: readonly Runner[] = own === undefined ? [] : [ownRunner(options.replica, own.runner)];
  const other = (id: string): Runner | undefined => {
    const replica = registry?.find(id);
    return replica && replicas && otherRunner(replica, { replicas, ...core() });
  };
  const finder = new FindRunner({
    runners: () => [
      ...(replicas?.isDraining === true ? [] : here),
      ...(registry?.otherRunners ?? []).flatMap(({ id }) => other(id) ?? []),
    ],
    find: (id) => here.find((runner) => runner.id === id) ?? other(id),
    refresh: () => registry?.refresh() ?? Promise.resolve(),
    patienceMs: () => settings().leaseSeconds * 1000 + sparePatienceMs,
  });
  if (own !== undefined) replicas?.takeLines(takeLines(own.runner, replicas.reach, () => core().budgets));
  return {
    line: (config, { user }, onLeaving) =>
      new PersonLine({
        server: config.name,
        open: (signal) => finder.lineTo({ tenant, user }, config, signal),
        onLeaving,
      }),
    counts: () => own?.counts(),
    follow: (parts) => (own === undefined ? () => undefined : followPeople(own.runner, parts)),
    configChanged: () => void own?.runner.configChanged(),
    drain: async (mostMs) => {
      // Where nobody else could begin anything, its own front goes on with what it has.
      const isNeeded = replicas?.role !== 'runner' && (registry?.otherRunners ?? []).length === 0;
      if (!isNeeded) await own?.runner.drain(mostMs);
    },
    stop: async () => own?.stop(),
  };
}

interface OwnRunner {
  readonly runner: PersonalRunner;
  readonly counts: () => PersonalCounts;
  readonly stop: () => Promise<void>;
}

function openRunner(options: PersonalOptions, settings: () => PersonalSettings): OwnRunner {
  const { core, database, env, readOwn, replica, room, version } = options;
  const { paths, masker } = room;
  const registry = new ProcessRegistry();
  const guard = new ProcessGuard();
  const leases = new Leases({
    sql: (of) => database.of(of),
    runner: replica,
    limits: () => ({ leaseMs: settings().leaseSeconds * 1000, mostPerPerson: settings().perPerson }),
  });
  const launch = new PersonalLaunch({
    ...{ env, registry, readOwn },
    folder: join(paths.dataDir, 'people'),
    hidden: ownPlaces(paths, paths.configFile),
    sockets: dirname(paths.socketPath),
    mask: (text) => masker.maskText(text),
    budgets: () => core().budgets,
    readSecret: (name) => core().vault.read(name),
  });
  void launch.sweep();
  const find = (server: string): StdioServerConfig | undefined => {
    const found = core().options.config.current.servers.find(({ name }) => name === server);
    return found?.kind === 'stdio' && found.enabled && placementOf(found).placement === 'personal' ? found : undefined;
  };
  const runner = new PersonalRunner({
    identity: ownIdentity(version),
    ...{ find, guard },
    launch: (...launched) => launch.transport(...launched),
    hold: (...held) => leases.hold(...held),
    limits: () => ({ idleMs: settings().idleMinutes * 60_000, most: settings().perRunner }),
    now: () => performance.now(),
  });
  return {
    runner,
    counts: () => ({
      running: runner.size,
      most: settings().perRunner,
      refused: { runner: runner.refused, person: leases.refused },
    }),
    stop: async () => {
      await runner.stop();
      registry.close();
      guard.stop();
    },
  };
}
