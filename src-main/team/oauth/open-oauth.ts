/** Composition of a replica's per-user sign-ins to remote servers. Contains no logic. */
import {
  type CoreGroups,
  resolveSecrets,
  type ResolveSecretsFn,
  secretVaultKey,
  type ServerConfig,
} from '../../core/edition.ts';
import type { Log } from '../../core/base/log.ts';
import type { Env } from '../../core/base/app-paths.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import { followGoneUsers } from '../users/follow-gone-users.ts';
import type { UserStore } from '../users/user-store.ts';
import type { TeamKeys } from '../documents/team-keys.ts';
import type { TeamVaults } from '../secrets/team-vault.ts';
import { UserConnections } from './user-connections.ts';
import { SubjectTokens, TokenExchanges } from './token-exchanges.ts';
import { OAuthRoutes, type OAuthRoutesOptions } from './oauth-routes.ts';
import { TeamSignIns } from './team-sign-ins.ts';

interface OAuthDeps {
  readonly keys: TeamKeys;
  readonly vaults: TeamVaults;
  readonly people: Pick<UserStore, 'byId'>;
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly env: Env;
  /** Returns the URL at which browsers reach any replica. Throws AppError if none is configured. */
  readonly publicUrl: () => string;
  readonly whoIs?: OAuthRoutesOptions['whoIs'];
  /** Available once the core is created. */
  readonly core: () => Pick<CoreGroups, 'context' | 'trust' | 'servers'>;
  readonly log: Pick<Log, 'warn'>;
}

export interface OpenSignIns {
  readonly own: UserConnections;
  readonly routes: OAuthRoutes;
  readonly signIns: TeamSignIns;
  /** Vaults of the sign-ins and the users' own values. */
  readonly vaults: TeamVaults;
  /** Called when a user authenticates with the issuer's token, with its expiry in ms since 1970. */
  readonly came: (user: string, token: string, until: number) => void;
  readonly close: () => void;
}

/** Maximum connections of all users; each uses a socket or two, here and at its server. */
const maxConnections = 1_000;

export function openSignIns(parts: OAuthDeps): OpenSignIns {
  const { changes, core, env, keys, log, people, publicUrl, vaults, whoIs } = parts;
  const fillFor =
    (user: string): ResolveSecretsFn =>
    (config) =>
      resolveSecrets(config, (name) => core().trust.vault.read(name), {
        readUsers: (name) => vaults.forUser(user).read(secretVaultKey(name)),
        setWith: vaults.organization.setWith,
        setUsersWith: vaults.forUser(user).setWith,
      });
  const nameOf = async (user: string): Promise<string | undefined> => {
    const found = (await people.byId([user])).get(user);
    return found?.isSuspended === false ? found.name : undefined;
  };
  const signIns = new TeamSignIns({
    vaults,
    publicUrl,
    env,
    nameOf,
    now: Date.now,
    fill: (config, user) => fillFor(user)(config),
    ring: keys.encryptionKeys('sign-ins'),
    documentUrl: () => core().context.config.current.oauth.clientMetadataUrl,
    server: (name) => core().context.config.current.servers.find((server) => server.name === name),
  });
  vaults.addMaskedValues(() => signIns.secrets, signIns.secretsChanged);
  const subjects = new SubjectTokens(Date.now);
  const exchanges = new TokenExchanges({ env, subject: (user) => subjects.read(user), now: Date.now });
  vaults.addMaskedValues(() => [...subjects.secrets, ...exchanges.secrets], exchanges.onSecretsChanged);
  const own = new UserConnections({
    signIns,
    maxConnections: maxConnections,
    idleMs: () => core().context.config.current.userProcesses.idleMinutes * 60_000,
    transport: (config, user) => {
      const fill = fillFor(user);
      const { tokenExchange } = config.oauth ?? {};
      const made = tokenExchange && exchanges.of(user, config, tokenExchange, () => fill(config));
      // Called for every user, to end connections of removed users.
      const theirs = signIns.of(user);
      return core().servers.transports.create(config, {
        fill,
        signIns: made === undefined ? theirs : { find: () => made },
      });
    },
  });
  const end = (user: string): void => {
    subjects.forget(user);
    exchanges.forget(user);
    void core().servers.manager.closeForUser({ user });
  };
  const came: OpenSignIns['came'] = (user, token, until) => {
    const made = core().context.config.current.servers.filter(hasExchange);
    if (made.length === 0) return;
    if (!subjects.note(user, token, until)) return;
    for (const { name } of made) core().servers.manager.find(name)?.onUserSignInChanged({ user });
  };
  const stops = [
    signIns.changed.on(({ user, server, wasSignedIn }) => {
      const { manager: servers } = core().servers;
      if (wasSignedIn) void servers.closeForUser({ user }, server);
      // Their tool list may be the first one available.
      servers.find(server)?.onUserSignInChanged({ user });
    }),
    signIns.valuesChanged.on(end),
    followGoneUsers({ changes, people, log }, () => signIns.users, end),
  ];
  return {
    came,
    own,
    signIns,
    vaults,
    routes: new OAuthRoutes({ signIns, publicUrl, whoIs }),
    close: () => {
      for (const stop of stops) stop();
      signIns.close();
      exchanges.close();
    },
  };
}

function hasExchange(server: ServerConfig): boolean {
  return (server.kind === 'http' || server.kind === 'sse') && server.oauth?.tokenExchange !== undefined;
}
