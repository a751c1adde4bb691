/** What a replica has to do with servers that have a process for each person: its own runner, and the lines of its core to it. Composition; no logic. */
import { dirname, join } from 'node:path';
import type { Env } from '../../core/base/app-paths.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import type { StdioServerConfig } from '../../core/config/app-config.ts';
import { placementOf } from '../../core/config/placement.ts';
import { ownPlaces } from '../../core/security/own-places.ts';
import { ownIdentity } from '../../core/servers/handshake.ts';
import { ProcessRegistry } from '../../core/servers/launch/process-registry.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import { LazyTransport } from '../../core/servers/transports/create-transport.ts';
import type { Transport } from '../../core/wire/transport.ts';
import type { TeamRoom } from '../../host/team-seams.ts';
import type { Database } from '../database/database.ts';
import { Leases } from './leases.ts';
import { localLine } from './local-line.ts';
import { PersonalLaunch } from './personal-launch.ts';
import { PersonalRunner } from './personal-runner.ts';
import { ProcessGuard } from './process-guard.ts';

export interface PersonalOptions {
  readonly room: TeamRoom;
  readonly env: Env;
  readonly version: string;
  /** Whose installation it is, whatever its core calls it. */
  readonly tenant: string;
  /** As others find a process that is here. */
  readonly replica: string;
  readonly database: Database;
  /** Once it is made. */
  readonly core: () => Pick<Aggregator, 'options' | 'vault'>;
  /** A person's own values, by the vault's names. */
  readonly readOwn: (person: Person, name: string) => Promise<string | undefined>;
}

export interface OpenPersonal {
  readonly line: (config: StdioServerConfig, person: Person) => Transport;
  /** The config is another one. */
  readonly configChanged: () => void;
  /** Ends every process. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Of a person and of all on one runner; a process takes 80 MB or so. */
const limits = { idleMs: 10 * 60_000, mostPerPerson: 8, most: 200 };

export function openPersonal(options: PersonalOptions): OpenPersonal {
  const { core, database, env, readOwn, replica, room, tenant, version } = options;
  const { paths, masker } = room;
  const registry = new ProcessRegistry();
  const guard = new ProcessGuard();
  const leases = new Leases({ sql: (of) => database.of(of), runner: replica });
  const launch = new PersonalLaunch({
    ...{ env, registry, readOwn },
    folder: join(paths.dataDir, 'people'),
    hidden: ownPlaces(paths, paths.configFile),
    sockets: dirname(paths.socketPath),
    mask: (text) => masker.maskText(text),
    readSecret: (name) => core().vault.read(name),
  });
  const find = (server: string): StdioServerConfig | undefined => {
    const found = core().options.config.current.servers.find(({ name }) => name === server);
    return found?.kind === 'stdio' && found.enabled && placementOf(found).placement === 'personal' ? found : undefined;
  };
  const runner = new PersonalRunner({
    identity: ownIdentity(version),
    ...{ find, guard },
    launch: (...launched) => launch.transport(...launched),
    hold: (...held) => leases.hold(...held),
    limits: () => limits,
    now: () => performance.now(),
  });
  return {
    line: ({ name }, { user }) =>
      new LazyTransport(async () => {
        const [front, end] = localLine();
        await runner.serve(end, { tenant, user }, name);
        return front;
      }),
    configChanged: () => void runner.configChanged(),
    stop: async () => {
      await runner.stop();
      registry.close();
      guard.stop();
    },
  };
}
