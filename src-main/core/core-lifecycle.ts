/** Starts and stops the components of a core in order, and applies config changes to them. */
import type { ProposalStore } from './admin/server-change.ts';
import type { AppConfig } from './config/app-config.ts';
import { secretValuesOf } from './config/config-secrets.ts';
import type { CoreGroups } from './core-groups.ts';
import type { Activity } from './create-activity.ts';
import { auditCoreEvents } from './create-audit.ts';
import { rebuildLists } from './catalog-scope.ts';
import type { UsageWatch } from './servers/usage-watch.ts';
import { tidyHome } from './tidy-home.ts';

interface LifecycleDeps {
  readonly groups: CoreGroups;
  readonly proposals: ProposalStore;
  readonly usageWatch: UsageWatch;
  readonly closeCalls: () => Promise<void>;
  readonly record: Pick<Activity, 'close'>;
}

export class CoreLifecycle {
  readonly #deps: LifecycleDeps;
  #stopWatching: () => void = () => undefined;
  #stopAudit: () => Promise<void> = () => Promise.resolve();
  #watching: Promise<unknown> = Promise.resolve();
  #known: PromiseWithResolvers<void> | undefined;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
    const { servers, trust, calls } = deps.groups;
    trust.vault.learned.on(() => this.#hideSecrets());
    servers.signIns.secretsChanged.on(() => this.#hideSecrets());
    calls.descriptions.changed.on(() => this.#rebuildLists());
  }

  /**
   * Resolves when the servers are known, which requires that processes left by a previous core have ended. Before that,
   * clients would see an empty tool list. Undefined once they are known, or if no start is expected. Never rejects.
   */
  get starting(): Promise<void> | undefined {
    return this.#known?.promise;
  }

  /** Called by a host that listens before it starts the core: clients that connect meanwhile wait for the servers. */
  expectStart(): void {
    this.#known ??= Promise.withResolvers();
  }

  /** Starts the servers of the config and follows its changes. Resolves when every server has started or failed. */
  async start(): Promise<void> {
    const { groups, proposals } = this.#deps;
    const { context, servers, calls, activity, trust } = groups;
    const { config } = context;
    this.#startWatching();
    let settled: Promise<unknown> = Promise.resolve();
    this.expectStart();
    const markKnown = (): void => {
      stopLooking();
      this.#markKnown();
    };
    // Cached listings of a previous core count as known.
    const stopLooking = servers.manager.listingChanged.on(() => servers.manager.isConfigLoaded && markKnown());
    // Set synchronously, so that a `close()` during cleanup also waits for the startup that follows it.
    this.#watching = this.#cleanUp().then(() => {
      // The config is applied before the file is watched, so that clients that connect meanwhile see the servers.
      activity.log.startPruning();
      settled = Promise.all([calls.spills.start(), trust.dataFlow.start(), this.#apply(config.current)]);
      return Promise.all([config.start(), proposals.start()]);
    });
    this.#watching.catch(markKnown);
    await this.#watching;
    await settled;
  }

  async close(): Promise<void> {
    const { groups, proposals, closeCalls, record } = this.#deps;
    const { context, servers, trust, clients } = groups;
    this.#stopWatching();
    this.#markKnown();
    // Waits for setup: a watcher created after the stop would leak.
    await this.#watching;
    await context.config.stop();
    await proposals.stop();
    await Promise.all(clients.sessions.all.map((session) => clients.sessions.end(session)));
    await servers.manager.stop();
    servers.signIns.close();
    servers.transports.close();
    servers.registries.close();
    await trust.dataFlow.close();
    await closeCalls();
    await record.close();
    await trust.callAuditor.drained();
    await this.#stopAudit();
    await trust.audit.close();
    await trust.scans.close();
    servers.processes.close();
    await context.health.close();
  }

  #markKnown(): void {
    this.#known?.resolve();
    this.#known = undefined;
  }

  #startWatching(): void {
    const { groups, usageWatch } = this.#deps;
    const { context, servers, activity, trust } = groups;
    const { config } = context;
    const { questions, decisions } = trust.dataFlow;
    this.#stopAudit = auditCoreEvents(trust.audit, {
      config,
      questions,
      decisions,
      admin: servers.admin,
      healing: servers.healing,
    });
    const stops = [
      servers.removals.watch(),
      usageWatch.start(),
      config.changed.on((next) => {
        void this.#apply(next);
        void activity.log.prune();
        this.#rebuildLists();
      }),
    ];
    this.#stopWatching = () => stops.forEach((stop) => stop());
  }

  /** Cleans up after killed cores, whose servers hold ports and locks that ours need. */
  async #cleanUp(): Promise<void> {
    const { context, servers, trust } = this.#deps.groups;
    const { paths, log, config } = context;
    await Promise.all([tidyHome(paths, log), trust.pins.removeStale(), servers.sandboxes.sweepHomes(config)]);
  }

  #apply(config: AppConfig): Promise<void> {
    const { servers } = this.#deps.groups;
    this.#hideSecrets();
    void servers.sandboxes.agree(config.servers);
    return servers.manager.apply(config.servers);
  }

  #rebuildLists(): void {
    const { calls, clients } = this.#deps.groups;
    rebuildLists(calls);
    clients.profiles.refresh();
    clients.extensions.refresh();
  }

  #hideSecrets(): void {
    const { context, servers, trust } = this.#deps.groups;
    const { config, masker } = context;
    masker.setSecrets([...secretValuesOf(config.current), ...servers.signIns.secrets, ...trust.vault.values]);
  }
}
