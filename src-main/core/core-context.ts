/** Arguments of a core's constructor: process-wide dependencies, and the components that an edition overrides. */
import type { AppPaths, Env } from './base/app-paths.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { AdmitCall } from './calls/call-tool.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { CoreStores } from './core-stores.ts';
import type { StoreHealth } from './health/store-health.ts';
import type { LaunchPolicy } from './servers/launch/launch-policy.ts';
import type { ServerDeps } from './servers/server-deps.ts';

/** Dependencies shared by all components of one core. */
export interface CoreContext {
  readonly paths: AppPaths;
  readonly env: Env;
  readonly config: ConfigStore;
  readonly log: Log;
  readonly masker: Masker;
  readonly version: string;
  /** Overrides the config's mode. */
  readonly mode: string | undefined;
  /** Which stores are read-only, and why. */
  readonly health: StoreHealth;
  /** ms since 1970. */
  readonly startedAt: number;
}

/** Multi-user implementations that replace the single-user ones of the desktop. */
export interface Edition {
  /** Stores that replace those in the home directory. */
  readonly stores: Partial<CoreStores>;
  /** Per-user connections to stdio servers. */
  readonly perUserProcesses: ServerDeps['personal'];
  /** Policy for starting commands. */
  readonly launch: LaunchPolicy;
  /** Per-user connections to remote servers. */
  readonly perUserConnections: ServerDeps['own'];
  /** Reserves quota for a call; rejects if the quota is exhausted. */
  readonly reserveQuota: AdmitCall;
  /** Returns the id of a trace that starts with a call; undefined if traces are not collected. */
  readonly newTraceId: (() => string) | undefined;
  /** Returns the text that tells users where to approve or reject pending items. */
  readonly approvalLocation: () => string;
}
