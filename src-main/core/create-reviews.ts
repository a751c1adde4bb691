/** Creates the review of servers: previews have no access to secrets, sign-ins, and earlier environments. */
import { join } from 'node:path';
import type { DecisionHistory } from './admin/decision-history.ts';
import { ServerPreviewer } from './admin/server-preview.ts';
import { ServerReviews } from './admin/server-reviews.ts';
import type { JsonDocument } from './base/json-document.ts';
import type { CoreContext } from './core-context.ts';
import type { Connections } from './create-connections.ts';
import type { ServersGroup } from './create-server-admin.ts';
import type { TrustGroup } from './create-trust.ts';
import { TransportFactory } from './servers/transports/create-transport.ts';
import type { ConnectionBudgets } from './wire/byte-budget.ts';

interface ReviewDeps {
  readonly context: CoreContext;
  readonly connections: Pick<Connections, 'processes' | 'environment' | 'network' | 'sandboxes'>;
  readonly safety: Pick<TrustGroup, 'scans'>;
  readonly budgets: ConnectionBudgets;
  readonly servers: Pick<ServersGroup, 'manager' | 'admin'>;
}

export function createReviews(deps: ReviewDeps, history: DecisionHistory, document: JsonDocument): ServerReviews {
  const { context, connections, safety, budgets, servers } = deps;
  const { config, paths, env, masker, version } = context;
  const { processes, environment, network, sandboxes } = connections;
  const { scans } = safety;
  const transports = new TransportFactory({
    network,
    env,
    registry: processes,
    environment,
    boxes: sandboxes,
    budgets,
    logDir: join(paths.logDir, 'looks'),
    mask: (text) => masker.maskText(text),
  });
  return new ServerReviews({
    config,
    servers: servers.manager,
    history,
    document: document,
    looks: new ServerPreviewer({ config, transports, scans, env, version, now: Date.now }),
    note: (...decision) => servers.admin.recordUserDecision(...decision),
  });
}
