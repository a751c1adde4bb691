/** Facts known before a core is created: its process, and the parts that an edition replaces. */
import type { AppPaths, Env } from './base/app-paths.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { AdmitCall } from './calls/call-tool.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { CoreStores } from './core-stores.ts';
import type { StoreHealth } from './health/store-health.ts';
import type { ServerDeps } from './servers/server-deps.ts';

/** Identity and surroundings of one core; every part may read them. */
export interface CoreContext {
  readonly paths: AppPaths;
  readonly env: Env;
  readonly config: ConfigStore;
  readonly log: Log;
  readonly masker: Masker;
  readonly version: string;
  /** Overrides the config's mode. */
  readonly mode: string | undefined;
  /** Which stores cannot be written, and why. */
  readonly health: StoreHealth;
  /** ms since 1970. */
  readonly startedAt: number;
}

/** Replacements that serve many users instead of the one of a desktop. */
export interface Edition {
  /** Stores that replace the home's own. */
  readonly stores: Partial<CoreStores>;
  /** Connections to processes that belong to one user each. */
  readonly personal: ServerDeps['personal'];
  /** Each user's own connections to remote servers. */
  readonly own: ServerDeps['own'];
  /** Reserves quota for a call. */
  readonly admit: AdmitCall;
  /** Whether traces of calls are collected. */
  readonly isTraced: boolean;
  /** Describes where users decide. */
  readonly answerAt: () => string;
}
