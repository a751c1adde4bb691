/** What a replica has to do with servers at an address that each person signs in to themselves. Composition; no logic. */
import type { Aggregator } from '../../core/aggregator.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { Env } from '../../core/base/app-paths.ts';
import type { ServerConfig } from '../../core/config/app-config.ts';
import { fillSecrets, vaultName } from '../../core/secrets/fill-secrets.ts';
import type { FillSecrets } from '../../core/servers/transports/create-transport.ts';
import type { Changes } from '../database/changes.ts';
import { type People, peopleTopic } from '../people/people.ts';
import type { TeamKeys } from '../records/team-keys.ts';
import type { TeamVaults } from '../secrets/team-vault.ts';
import { OwnConnections } from './own-connections.ts';
import { SubjectTokens, TokenExchanges } from './token-exchanges.ts';
import { SignInDoor, type SignInDoorOptions } from './sign-in-door.ts';
import { TeamSignIns } from './team-sign-ins.ts';

interface SignInsParts {
  readonly tenant: string;
  readonly keys: TeamKeys;
  readonly vaults: TeamVaults;
  readonly people: Pick<People, 'byId'>;
  readonly changes: Pick<Changes, 'changed'>;
  readonly env: Env;
  /** Where browsers reach any replica. Throws AppError where nobody said it. */
  readonly publicUrl: () => string;
  readonly whoIs?: SignInDoorOptions['whoIs'];
  /** Once it is made. */
  readonly core: () => Pick<Aggregator, 'options' | 'vault' | 'servers' | 'transports'>;
  readonly log: Pick<Log, 'warn'>;
}

export interface OpenSignIns {
  readonly own: OwnConnections;
  readonly door: SignInDoor;
  readonly signIns: TeamSignIns;
  /** Where they lie, beside people's own values. */
  readonly vaults: TeamVaults;
  /** Somebody came by a token of the team's issuer, which holds until then, in ms since 1970. */
  readonly came: (user: string, token: string, until: number) => void;
  readonly close: () => void;
}

/** Connections of all people; each takes a socket or two, here and at its server. */
const maxConnections = 1_000;

export function openSignIns(parts: SignInsParts): OpenSignIns {
  const { changes, core, env, keys, log, people, publicUrl, tenant, vaults, whoIs } = parts;
  const fillFor =
    (user: string): FillSecrets =>
    (config) =>
      fillSecrets(config, (name) => core().vault.read(name), {
        readUsers: (name) => vaults.of(user).read(vaultName(name)),
        setWith: vaults.organisation.setWith,
        setUsersWith: vaults.of(user).setWith,
      });
  const nameOf = async (user: string): Promise<string | undefined> => {
    const found = (await people.byId([user])).get(user);
    return found?.isOff === false ? found.name : undefined;
  };
  const signIns = new TeamSignIns({
    ...{ vaults, publicUrl, env, nameOf, now: Date.now },
    fill: (config, user) => fillFor(user)(config),
    ring: keys.sealing(tenant, 'sign-ins'),
    documentUrl: () => core().options.config.current.signIn.clientMetadataUrl,
    server: (name) => core().options.config.current.servers.find((server) => server.name === name),
  });
  vaults.hide(() => signIns.secrets, signIns.secretsChanged);
  const subjects = new SubjectTokens({ of: (user) => vaults.of(user), now: Date.now });
  const exchanges = new TokenExchanges({ env, subject: (user) => subjects.read(user), now: Date.now });
  vaults.hide(() => [...subjects.secrets, ...exchanges.secrets], exchanges.secretsChanged);
  const own = new OwnConnections({
    ...{ signIns, most: maxConnections },
    idleMs: () => core().options.config.current.personal.idleMinutes * 60_000,
    transport: (config, user) => {
      const fill = fillFor(user);
      const { exchange } = config.oauth ?? {};
      const made = exchange && exchanges.of(user, config, exchange, () => fill(config));
      // Asked for in any case: who is known there is ended when they go.
      const theirs = signIns.of(user);
      return core().transports.create(config, { fill, signIns: made === undefined ? theirs : { find: () => made } });
    },
  });
  const end = (user: string): void => {
    exchanges.forget(user);
    void core().servers.personEnds({ tenant, user });
  };
  const came: OpenSignIns['came'] = (user, token, until) => {
    const made = core().options.config.current.servers.filter(hasExchange);
    if (made.length === 0) return;
    subjects.note(user, token, until).then(
      (isAnother) => {
        if (isAnother) for (const { name } of made) core().servers.find(name)?.meetAnew({ tenant, user });
      },
      (error: unknown) => log.warn(errorText(error)),
    );
  };
  const stops = [
    signIns.changed.on(({ user, server, wasSignedIn }) => {
      const { servers } = core();
      if (wasSignedIn) void servers.personEnds({ tenant, user }, server);
      // What they may be the first to be shown.
      servers.find(server)?.meetAnew({ tenant, user });
    }),
    signIns.valuesChanged.on(end),
    changes.changed.on((change) => {
      if (change.tenant === tenant && change.topic === peopleTopic) void endGone(change.user);
    }),
  ];
  return {
    came,
    ...{ own, signIns, vaults, door: new SignInDoor({ signIns, publicUrl, whoIs }) },
    close: () => {
      for (const stop of stops) stop();
      signIns.close();
      exchanges.close();
    },
  };

  /** Whoever does not come in any more has nothing open either. */
  async function endGone(changed: string | undefined): Promise<void> {
    const users = signIns.users.filter((user) => changed === undefined || user === changed);
    if (users.length === 0) return;
    try {
      const here = await people.byId(users);
      for (const user of users) if (here.get(user)?.isOff !== false) end(user);
    } catch (error) {
      log.warn(`Whether connections of people who left are open cannot be told: ${errorText(error)}`);
    }
  }
}

function hasExchange(server: ServerConfig): boolean {
  return (server.kind === 'http' || server.kind === 'sse') && server.oauth?.exchange !== undefined;
}
