/** Composition root of the core: makes the parts and connects them, starts and stops them in order. No logic. */
import { join } from 'node:path';
import { ProposalStore } from './admin/server-change.ts';
import { DecisionHistory } from './admin/decision-history.ts';
import { ServerRemoval } from './admin/server-removal.ts';
import { type SelfHealing, createSelfHealing } from './admin/self-healing.ts';
import { UserEdits } from './admin/user-edits.ts';
import { ServerAdmin } from './admin/server-admin.ts';
import type { ServerReviews } from './admin/server-reviews.ts';
import { recordAdminEvent } from './calls/record-call.ts';
import type { TokenCounter } from './activity/token-counter.ts';
import { type AppPaths, ensurePrivateDir, type Env } from './base/app-paths.ts';
import { HomeWatch } from './home-watch.ts';
import { StoreHealth } from './health/store-health.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import { ResultMemoryQuota } from './calls/slow-calls.ts';
import { CallAuditor } from './calls/audit-call.ts';
import { createCallStages } from './calls/call-stages.ts';
import type { AdmitCall, CallStages } from './calls/call-tool.ts';
import type { ResultShaper } from './calls/shape-result.ts';
import { LiveCatalog, createToolEnablement } from './catalog/live-catalog.ts';
import type { AppConfig, ServerConfig } from './config/app-config.ts';
import { secretValuesOf } from './config/config-secrets.ts';
import { DescriptionStore } from './condense/description-store.ts';
import { ToolmuxCache } from './condense/toolmux-cache.ts';
import type { ConfigStore } from './config/config-store.ts';
import { type CoreStores, homeStores } from './core-stores.ts';
import { ModeCosts } from './choose-mode.ts';
import { auditCoreEvents, createPinRegistry } from './create-audit.ts';
import { createInbox } from './create-inbox.ts';
import { ExtensionCores } from './extension-cores.ts';
import { rebuildLists, ProfileCores } from './profile-cores.ts';
import { ProfileTokenStore } from './profiles/profile-tokens.ts';
import type { ModeRegistry } from './modes/mode-registry.ts';
import { type Activity, createActivity } from './create-activity.ts';
import { createSpilling } from './create-spilling.ts';
import { createReviews } from './create-reviews.ts';
import { type RegistryServices, createRegistries } from './create-registries.ts';
import type { ScheduledDeletions } from './spills/spill-pruner.ts';
import type { SpillAccess } from './spills/spill-reader.ts';
import type { SpillStore } from './spills/spill-store.ts';
import { CodeRunner } from './code-runner/code-runner.ts';
import { tooltrayPaths } from './security/protected-paths.ts';
import { resolveSecrets, forNobody, parseSecretVaultKey } from './secrets/resolve-secrets.ts';
import { SystemKeychain } from './secrets/keychain.ts';
import { SecretService } from './secrets/secret-service.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { readOrCreateToken } from './security/access-token.ts';
import { createDataFlow, type DataFlow } from './create-data-flow.ts';
import { defaultClientIdentity } from './servers/handshake.ts';
import { ListingCache } from './servers/listing-cache.ts';
import type { ServerDeps } from './servers/server-deps.ts';
import { openNetwork, type OutboundNetwork, type OutboundNetworkOptions } from './servers/network/outbound-network.ts';
import { ServerManager } from './servers/server-manager.ts';
import type { AuditRecorder } from './trust/audit/audit-log.ts';
import { FileDigestCache } from './trust/pins/file-digest-cache.ts';
import type { Inbox } from './trust/inbox/inbox.ts';
import type { PinRegistry } from './trust/pins/pin-registry.ts';
import { OAuthManager } from './servers/oauth/oauth-manager.ts';
import { PauseSwitch } from './servers/shared-connection.ts';
import { UsageMeter } from './servers/usage-meter.ts';
import { UsageWatch } from './servers/usage-watch.ts';
import { StartLimiter } from './servers/connection-opener.ts';
import { ChildProcessList } from './servers/launch/child-process-list.ts';
import { ProcessRegistry } from './servers/launch/process-registry.ts';
import { type ServerSandboxes, createServerSandboxes } from './servers/launch/sandbox/server-sandboxes.ts';
import { EnvironmentResolver } from './servers/launch/resolve-environment.ts';
import { TransportFactory } from './servers/transports/create-transport.ts';
import { createSessionServices, settleMs } from './session-services.ts';
import type { SessionServices } from './sessions/session-settings.ts';
import { ParkedCalls } from './sessions/parked-calls.ts';
import { SessionRegistry } from './sessions/session-registry.ts';
import { tidyHome } from './tidy-home.ts';
import { ScanThread } from './trust/scan/scan-thread.ts';
import { createConnectionBudgets } from './wire/byte-budget.ts';

interface AggregatorOptions {
  readonly paths: AppPaths;
  readonly env: Env;
  readonly config: ConfigStore;
  readonly log: Log;
  readonly masker: Masker;
  readonly version: string;
  readonly modes: ModeRegistry;
  /** Overrides the config's mode. */
  readonly mode?: string | undefined;
  /** Counts tokens for several cores of one process; who made it closes it. Else the core makes its own. */
  readonly counter?: TokenCounter | undefined;
  /** Runs programs for several cores of one process; who made it closes it. Else the core makes its own. */
  readonly sandbox?: CodeRunner | undefined;
  /** Lines to processes of single people, in a team. */
  readonly personal?: ServerDeps['personal'];
  /** Each user's own connections to remote servers, in a team. */
  readonly own?: ServerDeps['own'];
  /** Makes room for calls in quotas. */
  readonly admit?: AdmitCall | undefined;
  /** Collects traces of calls. */
  readonly health?: StoreHealth | undefined;
  /** Somebody gathers traces of calls. */
  readonly isTraced?: boolean | undefined;
  /** Describes where users of a team decide; absent: on this machine. */
  readonly answerAt?: (() => string) | undefined;
  /** The system's proxy for an address, where it can be asked. */
  readonly resolveProxy?: OutboundNetworkOptions['resolveProxy'];
  /** Stores that replace the home's own. */
  readonly stores?: Partial<CoreStores> | undefined;
}

const startSlots = 10;

export class Core {
  readonly options: AggregatorOptions;
  /** ms since 1970. */
  readonly startedAt = Date.now();
  readonly token: string;
  readonly health: StoreHealth;
  readonly home: HomeWatch;
  readonly registry: ProcessRegistry;
  /** Memory limits shared by all connections. */
  readonly budgets = createConnectionBudgets();
  readonly network: OutboundNetwork;
  readonly signIns: OAuthManager;
  /** Stores secrets, which must not be in a file in plain text; accessible only to users and launches. */
  readonly vault: SecretStore;
  /** The user's operations on secrets; no session or mode has access. */
  readonly secrets: SecretService;
  /** Environment of servers' processes. */
  readonly environment: EnvironmentResolver;
  /** Sandboxes of confined servers. */
  readonly boxes: ServerSandboxes;
  /** SHA-256 digests of the servers' program files. */
  readonly fileDigests = new FileDigestCache();
  readonly transports: TransportFactory;
  readonly servers: ServerManager;
  /** Resource usage of the servers' processes. */
  readonly usage: UsageMeter;
  /** Records decisions, refusals, changes and calls, chained and signed. */
  readonly audit: AuditRecorder;
  /** Calls on their way into it. */
  readonly callAuditor: CallAuditor;
  /** Definitions that the user accepted, by server. */
  readonly pins: PinRegistry;
  readonly catalog: LiveCatalog;
  readonly sessions: SessionRegistry;
  readonly parkedCalls: ParkedCalls;
  readonly activity: Activity['activity'];
  /** Compares the tokens sent to client apps with the tokens they would have loaded without Tooltray. */
  readonly ledger: Activity['ledger'];
  /** Payloads of calls. */
  readonly payloads: Activity['texts'];
  readonly timeline: Activity['timeline'];
  /** Answers kept on disk. */
  readonly spills: SpillStore;
  readonly spillFiles: SpillAccess;
  readonly scheduledDeletions: ScheduledDeletions;
  readonly shaper: ResultShaper;
  /** Checks outgoing data against what was read; pending questions and the user's decisions. */
  readonly trust: DataFlow;
  readonly steps: CallStages;
  readonly admin: ServerAdmin;
  /** Servers that a person has to look at; for people alone. */
  readonly reviews: ServerReviews;
  readonly profiles: ProfileCores;
  /** The core as apps have it that declare extensions of MCP. */
  readonly extensionCores: ExtensionCores;
  /** Open the address of one profile until a day. */
  readonly profileTokens: ProfileTokenStore;
  /** Edits by the user. */
  readonly edits: UserEdits;
  readonly removals: ServerRemoval;
  /** Registries of servers; no session or mode has access to the service. */
  readonly registries: RegistryServices;
  /** Repairs servers with launches found elsewhere on this machine. */
  readonly healing: SelfHealing;
  /** All inbox items of the user; no session and no mode receives it. */
  readonly inbox: Inbox;
  readonly codeRunner: CodeRunner;
  /** Looks texts of servers for what attacks are made of. */
  readonly scans = new ScanThread();
  readonly descriptions: DescriptionStore;
  readonly modes: ModeRegistry;
  readonly modeCosts: ModeCosts;
  readonly #resultCapacity = new ResultMemoryQuota();
  readonly #proposals: ProposalStore;
  readonly #closeRecord: () => Promise<void>;
  readonly #closeResults: () => Promise<void>;
  readonly #usageWatch: UsageWatch;
  #stopWatching: () => void = () => undefined;
  #stopAudit: () => Promise<void> = () => Promise.resolve();
  #watching: Promise<unknown> = Promise.resolve();
  #beginning: Promise<void> | undefined;

  constructor(options: AggregatorOptions) {
    const { paths, env, log, masker } = options;
    this.options = options;
    this.modes = options.modes;
    this.modeCosts = new ModeCosts(this.modes);
    this.health = options.health ?? new StoreHealth();
    const stores: CoreStores = { ...homeStores(paths.dataDir), ...options.stores };
    this.codeRunner = options.sandbox ?? new CodeRunner();
    for (const folder of [paths.dataDir, paths.logDir, paths.cacheDir, paths.runDir]) ensurePrivateDir(folder);
    this.registry = new ProcessRegistry(new ChildProcessList(paths.runDir));
    this.usage = new UsageMeter({ registry: this.registry });
    this.token = readOrCreateToken(paths.tokenFile);
    this.vault = stores.vault(env);
    this.home = new HomeWatch(paths, this.vault);
    this.secrets = new SecretService({
      vault: this.vault,
      config: options.config,
      folders: [paths.dataDir, paths.logDir],
      keychain: new SystemKeychain(env),
    });
    this.vault.learned.on(() => this.#hideSecrets());
    this.vault.changed.on((names) => void this.servers.secretsChanged(new Set(names.flatMap(parseSecretVaultKey))));
    this.vault.onOpened.on(() => void this.servers.vaultOpened());
    const fill = <C extends ServerConfig>(server: C): Promise<C> =>
      resolveSecrets(server, (name) => this.vault.read(name), forNobody(this.vault));
    const documentUrl = (): string | undefined => options.config.current.signIn.clientMetadataUrl;
    const environment = new EnvironmentResolver({ own: env });
    this.environment = environment;
    const { config, resolveProxy } = options;
    this.network = openNetwork({ env, environment, config, log, resolveProxy });
    const { vault, network } = this;
    this.signIns = new OAuthManager({
      folder: join(paths.dataDir, 'sign-ins'),
      vault,
      env,
      network,
      fill,
      documentUrl,
    });
    this.signIns.secretsChanged.on(() => this.#hideSecrets());
    this.boxes = createServerSandboxes(paths, options.config.path, (server, host) =>
      log.child('isolation').warn(`${server} asked for ${host}, which it may not reach`),
    );
    this.transports = new TransportFactory({
      env,
      network,
      signIns: this.signIns,
      registry: this.registry,
      environment,
      logDir: join(paths.logDir, 'servers'),
      own: tooltrayPaths(paths, options.config.path),
      boxes: this.boxes,
      mask: (text) => masker.maskText(text),
      budgets: this.budgets,
      fill,
    });
    this.audit = stores.audit({ vault: this.vault, masker, log: log.child('audit'), health: this.health });
    this.callAuditor = new CallAuditor(this.audit);
    this.pins = createPinRegistry(stores.pins, this.audit, options.config, log);
    this.#usageWatch = new UsageWatch(this.usage, log, (server) => this.servers.find(server)?.changed.emit());
    this.servers = new ServerManager({
      usageProblems: (server) => this.#usageWatch.problemsOf(server),
      pinsOf: (config, kind) => this.pins.of(config, kind),
      createTransport: (config) => this.transports.create(config),
      personal: options.personal,
      own: options.own,
      logOf: (server) => this.transports.log(server),
      cache: new ListingCache(join(paths.cacheDir, 'listings')),
      identity: defaultClientIdentity(options.version),
      slots: new StartLimiter(startSlots),
      pause: new PauseSwitch(),
      signIns: this.signIns,
      now: Date.now,
      random: Math.random,
      onWarning: (server, text) => log.child(server).info(text.slice(0, 2000)),
    });
    // Asked when a server has failed: by then there is a Healing.
    const knownFix = (server: string): string | undefined => this.healing.hintFor(server);
    const isOn = createToolEnablement(options.config.reader('servers'));
    this.catalog = new LiveCatalog({
      servers: this.servers,
      reserved: new Set(this.modes.helpers.keys()),
      isOn,
      problems: () => options.config.problems,
      knownFix,
    });
    this.parkedCalls = new ParkedCalls();
    this.sessions = new SessionRegistry(this.servers, this.catalog);
    const record = createActivity({
      kindOf: this.modes.kindOf,
      file: paths.activityFile,
      masker,
      log,
      servers: this.servers,
      counter: options.counter,
      config: options.config,
      version: options.version,
      places: stores.record,
      health: this.health,
    });
    this.activity = record.activity;
    this.ledger = record.ledger;
    this.payloads = record.texts;
    this.timeline = record.timeline;
    this.#closeRecord = record.close;
    const results = createSpilling({
      folder: paths.spillDir,
      own: tooltrayPaths(paths, options.config.path),
      settings: options.config.reader('results'),
      answers: stores.answers,
      modes: this.modes,
      health: this.health,
      log,
      countTokens: record.countTokens,
    });
    this.spills = results.spills;
    this.spillFiles = results.files;
    this.scheduledDeletions = results.deletions;
    this.shaper = results.shaper;
    this.#closeResults = results.close;
    this.trust = createDataFlow({
      stores,
      settings: options.config.reader('dataFlow'),
      answerAt: options.answerAt,
      log: log.child('flow'),
    });
    this.sessions.ended.on((id) => this.trust.flow.forget(id));
    const stepParts = {
      scans: this.scans,
      catalog: this.catalog,
      servers: this.servers,
      isOn,
      knownFix,
      shaper: this.shaper,
      activity: this.activity,
      texts: this.payloads,
      timeline: this.timeline,
      notes: this.callAuditor,
      settleMs,
      results: options.config.reader('results'),
      flow: this.trust.flow,
      admit: options.admit,
      isTraced: options.isTraced,
    };
    this.steps = createCallStages(stepParts);
    this.#proposals = new ProposalStore(stores.proposals);
    const lastLines = (server: string): readonly string[] => this.transports.lastLines(server);
    this.admin = new ServerAdmin({
      config: options.config,
      servers: this.servers,
      proposals: this.#proposals,
      environment,
      lastLines,
      knownFix,
      knownLaunch: (server) => this.healing.findLaunch(server),
      secrets: this.secrets,
      descriptions: () => this.descriptions,
    });
    this.admin.recorded.on((note) => recordAdminEvent(this, note));
    const profileParts = { config: options.config, steps: stepParts, admin: this.admin, spills: this.spills };
    this.profiles = new ProfileCores({
      ...profileParts,
      core: () => this.sessionServices,
      isShown: (catalog) => this.extensionCores.isShown(catalog),
    });
    this.profiles.changed.on(({ catalog, change }) => this.sessions.announce(catalog, change));
    this.extensionCores = new ExtensionCores({
      ...profileParts,
      core: () => this.sessionServices,
      servers: this.servers,
      sessions: this.sessions,
      log: log.child('extensions'),
      now: Date.now,
    });
    this.extensionCores.changed.on(({ catalog, change }) => this.sessions.announce(catalog, change));
    this.profileTokens = new ProfileTokenStore(stores.profileTokens);
    this.edits = new UserEdits(options.config, this.servers);
    this.removals = new ServerRemoval({
      config: options.config,
      edits: this.edits,
      signIns: this.signIns,
      log: options.log,
      file: join(paths.dataDir, 'sign-ins-in-use.json'),
      removeHomes: (server) => this.boxes.removeHomes(server),
      onSignedOut: (server, sentence) => this.admin.recordUserDecision('sign-out', sentence, server),
    });
    this.registries = createRegistries(this);
    const history = new DecisionHistory(stores.decisions);
    this.reviews = createReviews(this, history, stores.looks);
    this.healing = createSelfHealing({
      ...options,
      environment,
      transports: this.transports,
      edits: this.edits,
      secrets: this.secrets,
      vault: this.vault,
      servers: () => this.servers.all,
      dataDir: paths.dataDir,
      log: log.child('healing'),
    });
    this.inbox = createInbox(this, history, this.#proposals);
    const hashOf = (server: string): string | undefined => this.servers.find(server)?.config.hash;
    const toolmux = new ToolmuxCache(options.config);
    this.descriptions = new DescriptionStore(join(paths.dataDir, 'descriptions'), hashOf, toolmux);
    this.descriptions.changed.on(() => this.#relist());
  }

  /**
   * Pending until the servers are known, which requires that another core of this home has ended; undefined once they
   * are known, or before the start. A client served earlier would find no servers. Never rejects.
   */
  get starting(): Promise<void> | undefined {
    return this.#beginning;
  }

  /** Starts the servers of the config and follows its changes. Resolves when all have settled. */
  async start(): Promise<void> {
    const { config } = this.options;
    this.#stopAudit = auditCoreEvents(this.audit, {
      config,
      questions: this.trust.questions,
      decisions: this.trust.decisions,
      admin: this.admin,
      healing: this.healing,
    });
    const stops = [this.removals.watch(), this.#usageWatch.start()];
    const stopWatching = config.changed.on((next) => {
      void this.#apply(next);
      void this.payloads.pruneNow();
      this.#relist();
    });
    this.#stopWatching = () => [...stops, stopWatching].forEach((stop) => stop());
    let settled: Promise<unknown> = Promise.resolve();
    const known = Promise.withResolvers<void>();
    this.#beginning = known.promise;
    const begun = (): void => {
      stopLooking();
      this.#beginning = undefined;
      known.resolve();
    };
    // With what was read of them before.
    const stopLooking = this.servers.listingChanged.on(() => this.servers.isConfigLoaded && begun());
    // One promise from the first moment on: a stop that comes while we tidy up waits for what begins after it.
    this.#watching = this.#tidyUp().then(() => {
      // This precedes watching the file, so that a client that connects meanwhile finds the servers.
      this.payloads.start();
      settled = Promise.all([this.spills.start(), this.trust.start(), this.#apply(config.current)]);
      return Promise.all([config.start(), this.#proposals.start()]);
    });
    this.#watching.catch(begun);
    await this.#watching;
    await settled;
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    // A watch that is still being set up would outlive its stop.
    await this.#watching;
    await this.options.config.stop();
    await this.#proposals.stop();
    await Promise.all(this.sessions.all.map((session) => this.sessions.end(session)));
    await this.servers.stop();
    this.signIns.close();
    this.transports.close();
    this.registries.close();
    await this.trust.close();
    await this.#closeResults();
    await this.#closeRecord();
    await this.callAuditor.drained();
    await this.#stopAudit();
    await this.audit.close();
    if (this.options.sandbox === undefined) await this.codeRunner.close();
    await this.scans.close();
    this.registry.close();
    await this.health.close();
  }

  /** Dependencies of a listener's sessions. */
  get sessionServices(): SessionServices {
    return createSessionServices(this, this.#resultCapacity);
  }

  /** Cleans up after killed cores: their servers hold ports and locks that ours need. */
  async #tidyUp(): Promise<void> {
    const { paths, log } = this.options;
    await Promise.all([tidyHome(paths, log), this.pins.removeStale(), this.boxes.sweepHomes(this.options.config)]);
  }

  #apply(config: AppConfig): Promise<void> {
    this.#hideSecrets();
    void this.boxes.agree(config.servers);
    return this.servers.apply(config.servers);
  }

  #relist(): void {
    rebuildLists(this);
    this.profiles.refresh();
    this.extensionCores.refresh();
  }

  #hideSecrets(): void {
    const { config, masker } = this.options;
    masker.setSecrets([...secretValuesOf(config.current), ...this.signIns.secrets, ...this.vault.values]);
  }
}
