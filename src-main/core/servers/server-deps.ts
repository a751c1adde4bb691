/** Dependencies and events of a server. */
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

/** Returns a transport to one user's process of a server, not started. */
export type OpenUserTransport = (config: StdioServerConfig, person: Person) => Transport;

export interface ServerDeps {
  readonly createTransport: (config: ServerConfig) => Transport;
  /** Opens a connection to one user's own process of a server. Absent: there is one user. */
  readonly personal?: OpenUserTransport | undefined;
  /** Each user's own access to remote servers. Absent: there is one user. */
  readonly own?: PerUserAccess | undefined;
  readonly cache: ListingCache;
  /** `kind`: as apps of that kind have it, undefined: as all others do. */
  readonly pinsOf?: (config: ServerConfig, kind?: ExtensionSet) => ServerPins | undefined;
  /** How we introduce ourselves on shared connections: everything some client app may be able to do. */
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
  /** The session it is for; undefined when it came on the shared connection and is not tied to a call. */
  readonly sessionId: string | undefined;
  /** It came on this user's own line, and is for nobody else. */
  readonly person?: Person;
}

/** To what of a server is one user's own; undefined: it is there for all. */
export function userTransportFactory(
  config: ServerConfig,
  { own, personal }: Pick<ServerDeps, 'own' | 'personal'>,
): ((person: Person) => Transport) | undefined {
  if (config.kind === 'builtin' || !placementOf(config).isEachOnes) return undefined;
  if (config.kind === 'stdio') return personal && ((person) => personal(config, person));
  return own && ((person) => own.connect(config, person));
}
