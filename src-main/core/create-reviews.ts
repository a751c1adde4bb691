/**
 * A person's review of servers put together: what starts one for a look knows no secrets, no sign-ins and no
 * environments of before.
 */
import { join } from 'node:path';
import type { DecisionHistory } from './admin/decision-history.ts';
import type { ServerAdmin } from './admin/server-admin.ts';
import { ServerPreviewer } from './admin/server-preview.ts';
import { ServerReviews } from './admin/server-reviews.ts';
import type { AppPaths, Env } from './base/app-paths.ts';
import type { JsonDocument } from './base/json-document.ts';
import type { Masker } from './base/mask.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { ServerSandboxes } from './servers/launch/sandbox/server-sandboxes.ts';
import type { ProcessRegistry } from './servers/launch/process-registry.ts';
import type { OutboundNetwork } from './servers/network/outbound-network.ts';
import type { EnvironmentResolver } from './servers/launch/resolve-environment.ts';
import type { ServerManager } from './servers/server-manager.ts';
import { TransportFactory } from './servers/transports/create-transport.ts';
import type { ScanThread } from './trust/scan/scan-thread.ts';
import type { ConnectionBudgets } from './wire/byte-budget.ts';

interface ReviewDeps {
  readonly options: {
    readonly config: ConfigStore;
    readonly paths: AppPaths;
    readonly env: Env;
    readonly masker: Masker;
    readonly version: string;
  };
  readonly servers: ServerManager;
  readonly registry: ProcessRegistry;
  readonly environment: EnvironmentResolver;
  readonly network: OutboundNetwork;
  readonly boxes: ServerSandboxes;
  readonly budgets: ConnectionBudgets;
  readonly scans: ScanThread;
  readonly admin: ServerAdmin;
}

export function createReviews(room: ReviewDeps, history: DecisionHistory, kept: JsonDocument): ServerReviews {
  const { options, servers, registry, environment, network, boxes, budgets, scans, admin } = room;
  const { config, paths, env, masker, version } = options;
  const transports = new TransportFactory({
    network,
    env,
    registry,
    environment,
    boxes,
    budgets,
    logDir: join(paths.logDir, 'looks'),
    mask: (text) => masker.maskText(text),
  });
  return new ServerReviews({
    config,
    servers,
    history,
    kept,
    looks: new ServerPreviewer({ config, transports, scans, env, version, now: Date.now }),
    note: (...decision) => admin.recordUserDecision(...decision),
  });
}
