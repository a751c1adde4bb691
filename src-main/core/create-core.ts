/** Composition root of the core: creates five groups of parts in order. Consumers are given the group they use, never the whole. */
import { DecisionHistory } from './admin/decision-history.ts';
import { ProposalStore } from './admin/server-change.ts';
import { ensurePrivateDir } from './base/app-paths.ts';
import { recordAdminEvent } from './calls/record-call.ts';
import type { CodeRunner } from './code-runner/code-runner.ts';
import type { ActivityThread } from './activity/activity-thread.ts';
import type { CoreContext, Edition } from './core-context.ts';
import type { CoreGroups } from './core-groups.ts';
import { CoreLifecycle } from './core-lifecycle.ts';
import { type CoreStores, homeStores } from './core-stores.ts';
import { createActivity } from './create-activity.ts';
import { createCalls } from './create-calls.ts';
import { createClients } from './create-clients.ts';
import { createConnections } from './create-connections.ts';
import { createInbox } from './create-inbox.ts';
import { createReviews } from './create-reviews.ts';
import { createServerAdmin } from './create-server-admin.ts';
import { createSafety } from './create-trust.ts';
import type { ModeRegistry } from './modes/mode-registry.ts';
import { readOrCreateToken } from './security/access-token.ts';
import type { OutboundNetworkOptions } from './servers/network/outbound-network.ts';
import { createConnectionBudgets } from './wire/byte-budget.ts';

export interface CoreOptions {
  readonly context: Omit<CoreContext, 'startedAt'>;
  readonly modes: ModeRegistry;
  /** Replacements for stores of the home, such as the vault that config and core share. */
  readonly stores?: Partial<CoreStores> | undefined;
  /** Replaces single-user parts with those of the team edition. */
  readonly edition?: Edition | undefined;
  /** Owns the activity databases of several cores of one process; its creator closes it. By default the core creates its own. */
  readonly activityThread?: ActivityThread | undefined;
  /** Runs programs for several cores of one process; its creator closes it. By default the core creates its own. */
  readonly codeRunner?: CodeRunner | undefined;
  /** The system's proxy for an address, if available. */
  readonly resolveProxy?: OutboundNetworkOptions['resolveProxy'];
}

export interface Core extends CoreGroups {
  /** Resolves when the servers are known; undefined if they already are, or no start is expected. Never rejects. */
  readonly starting: Promise<void> | undefined;
  /** Makes clients that connect from now on wait for `start`. */
  readonly expectStart: () => void;
  /** Starts the servers of the config and follows its changes. Resolves when all have started or failed. */
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts nothing; creates the folders of the home, and the access token if missing. */
export function createCore(options: CoreOptions): Core {
  const { edition, resolveProxy, modes } = options;
  const context: CoreContext = { ...options.context, startedAt: Date.now() };
  const { paths, config, log, masker, health } = context;
  for (const folder of [paths.dataDir, paths.logDir, paths.cacheDir, paths.runDir]) ensurePrivateDir(folder);
  const stores: CoreStores = { ...homeStores(paths.dataDir), ...options.stores, ...edition?.stores };
  const budgets = createConnectionBudgets();
  const proposals = new ProposalStore(stores.proposals);
  const history = new DecisionHistory(stores.decisions);

  const safety = createSafety(context, stores, edition?.approvalLocation);
  const connections = createConnections({ context, trust: safety, budgets, edition, resolveProxy });
  const { servers, descriptions } = createServerAdmin({ context, connections, trust: safety, proposals });
  const record = createActivity({
    kindOf: modes.kindOf,
    file: paths.activityFile,
    masker,
    log,
    servers: servers.manager,
    activityThread: options.activityThread,
    config,
    version: context.version,
    places: stores.record,
    health,
  });
  servers.admin.recorded.on((note) => recordAdminEvent(record, note));
  const {
    calls,
    stagesDeps,
    close: closeCalls,
  } = createCalls({
    context,
    stores,
    servers,
    record,
    trust: safety,
    modes,
    descriptions,
    codeRunner: options.codeRunner,
    edition,
  });
  const token = readOrCreateToken(paths.tokenFile);
  const clients = createClients({ context, stores, servers, calls, stagesDeps, record, trust: safety, budgets, token });
  const reviews = createReviews({ context, connections, safety, budgets, servers }, history, stores.looks);
  const inbox = createInbox({ config, safety, servers, reviews, descriptions }, history, proposals);

  const groups: CoreGroups = {
    context,
    servers,
    calls,
    activity: { log: record.activity, ledger: record.ledger, timeline: record.timeline },
    trust: { ...safety, reviews, inbox },
    clients,
  };
  const lifecycle = new CoreLifecycle({ groups, proposals, usageWatch: connections.usageWatch, closeCalls, record });
  return {
    ...groups,
    get starting() {
      return lifecycle.starting;
    },
    expectStart: () => lifecycle.expectStart(),
    start: () => lifecycle.start(),
    close: () => lifecycle.close(),
  };
}
