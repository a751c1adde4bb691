/** What a server is made from, and what it tells. */
import type { JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/app-config.ts';
import type { ClientIdentity } from '../wire/eras.ts';
import type { Transport } from '../wire/transport.ts';
import type { ListingCache } from './listing-cache.ts';
import type { Pause } from './shared-line.ts';
import type { SignIns } from './sign-in/sign-ins.ts';
import type { StartSlots } from './line-opener.ts';

export interface ServerDeps {
  readonly createTransport: (config: ServerConfig) => Transport;
  readonly cache: ListingCache;
  /** How we introduce ourselves on shared connections: everything some client app may be able to do. */
  readonly identity: ClientIdentity;
  readonly slots: StartSlots;
  readonly pause: Pause;
  readonly signIns: SignIns;
  readonly now: () => number;
  readonly random: () => number;
  readonly onOddity: (server: string, text: string) => void;
}

export interface ServerNotification {
  readonly method: string;
  readonly params: JsonObject;
  /** The session it is for; undefined when it came on the shared connection and is not tied to a call. */
  readonly sessionId: string | undefined;
}
