/** Dependencies of a server, and its notifications. */
import type { JsonObject } from '../base/json.ts';
import type { ServerConfig, StdioServerConfig } from '../config/server-config.ts';
import { placementOf } from '../config/placement.ts';
import type { Person } from '../security/principal.ts';
import type { ServerPins } from '../trust/pins/server-pins.ts';
import type { ClientIdentity } from '../wire/protocol-kind.ts';
import type { Transport } from '../wire/transport.ts';
import type { ExtensionSet } from './extension-set.ts';
import type { StartLimiter } from './connection-opener.ts';
import type { ListingCache } from './listing-cache.ts';
import type { PerUserAccess } from './per-user-sign-in.ts';
import type { PauseSwitch } from './shared-connection.ts';
import type { OAuthManager } from './oauth/oauth-manager.ts';
import type { ServerLog } from './transports/server-log.ts';

/** Returns an unstarted transport to one user's process of a server. */
export type OpenUserTransport = (config: StdioServerConfig, person: Person) => Transport;

export interface ServerDeps {
  readonly createTransport: (config: ServerConfig) => Transport;
  /** Opens a transport to one user's process of a server. Absent: there is one user. */
  readonly personal?: OpenUserTransport | undefined;
  /** Each user's own access to remote servers. Absent: there is one user. */
  readonly own?: PerUserAccess | undefined;
  readonly cache: ListingCache;
  /** Returns the pins; `kind`: the extension set of the apps, undefined for apps without extensions. */
  readonly pinsOf?: (config: ServerConfig, kind?: ExtensionSet) => ServerPins | undefined;
  /** Our identity on shared connections, with every capability that a client app may have. */
  readonly identity: ClientIdentity;
  readonly slots: StartLimiter;
  readonly pause: PauseSwitch;
  readonly signIns: OAuthManager;
  readonly now: () => number;
  readonly random: () => number;
  /** Excessive resource usage on this computer, in sentences. */
  readonly usageProblems?: (server: string) => readonly string[];
  readonly onWarning: (server: string, text: string) => void;
  /** The server's log; outlives this object. */
  readonly logOf: (server: string) => ServerLog;
}

export interface ServerNotification {
  readonly method: string;
  readonly params: JsonObject;
  /** The session; undefined if the notification arrived on the shared connection outside of a call. */
  readonly sessionId: string | undefined;
  /** The user on whose own connection it arrived, who is its only recipient. */
  readonly person?: Person;
}

/** Returns the factory for one user's own transports to a server; undefined if all users share it. */
export function userTransportFactory(
  config: ServerConfig,
  { own, personal }: Pick<ServerDeps, 'own' | 'personal'>,
): ((person: Person) => Transport) | undefined {
  if (config.kind === 'builtin' || !placementOf(config).isEachOnes) return undefined;
  if (config.kind === 'stdio') return personal && ((person) => personal(config, person));
  return own && ((person) => own.connect(config, person));
}
