/** A Healing made of the parts of a running core. */
import { join } from 'node:path';
import { homedir } from 'node:os';
import type { Log } from '../base/log.ts';
import type { Env } from '../base/app-paths.ts';
import { HealConsents } from '../client-apps/heal-consents.ts';
import { healOffers } from '../client-apps/heal-offers.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { readConfigText } from '../config/read-config-text.ts';
import { writtenEntry } from '../config/written-config.ts';
import { findCommand } from '../servers/launch/find-command.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { TransportFactory } from '../servers/transports/transport-factory.ts';
import { Healing } from './healing.ts';
import type { PersonEdits } from './person-edits.ts';
import { tryEntry } from './try-entry.ts';

export interface HealingParts {
  readonly config: ConfigStore;
  readonly env: Env;
  readonly environment: EnvironmentResolver;
  readonly transports: TransportFactory;
  readonly version: string;
  readonly edits: Pick<PersonEdits, 'save'>;
  readonly servers: () => readonly ManagedServer[];
  readonly dataDir: string;
  readonly log: Pick<Log, 'info'>;
}

export function openHealing(parts: HealingParts): Healing {
  const { config, env, environment, transports, version, edits, servers, log } = parts;
  const machine = { env, platform: process.platform, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir() };
  return new Healing({
    consents: new HealConsents(join(parts.dataDir, 'heal-consents.json')),
    policy: () => config.current.heal,
    servers,
    writtenEntry: async (server) => writtenEntry(await readConfigText(config.path), server),
    findOffers: (server, written) =>
      healOffers(server, written, {
        machine,
        find: async (command, own) => findCommand(command, await environment.resolve(own)),
      }),
    tryEntry: (entry) => tryEntry(entry, { config, transports, version }),
    save: (server, entry) => edits.save(server, entry, true),
    log: (text) => log.info(text),
  });
}
