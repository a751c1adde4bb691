/** Composition root of the core: makes the parts, hands each what it needs, starts and stops them in order. No logic. */
import { join } from 'node:path';
import { ProposalStore } from './admin/proposal-store.ts';
import { ServerAdmin } from './admin/server-admin.ts';
import { ActivityLog } from './activity/activity-log.ts';
import { TokenCounter } from './activity/token-counter.ts';
import { tokenWorkerUrl } from './activity/token-worker-url.ts';
import { type AppPaths, ensurePrivateDir, type Env } from './base/app-paths.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask-secrets.ts';
import { type CallSteps } from './calls/call-tool.ts';
import { checkArguments } from './calls/check-arguments.ts';
import { checkIntent } from './calls/check-intent.ts';
import { recordCall } from './calls/record-call.ts';
import { SchemaCompiler } from './calls/schema-compiler.ts';
import { LiveCatalog } from './catalog/live-catalog.ts';
import { resolveEntry } from './catalog/resolve-entry.ts';
import type { AppConfig } from './config/app-config.ts';
import { DescriptionStore } from './condense/description-store.ts';
import type { ConfigStore } from './config/config-store.ts';
import { secretsOf } from './config/secrets-of.ts';
import { helperTools } from './modes/index.ts';
import { noResultFiles } from './results/result-files.ts';
import { Sandbox } from './sandbox/sandbox.ts';
import { readOrCreateToken } from './security/access-token.ts';
import { ListingCache } from './servers/listing-cache.ts';
import { ServerManager } from './servers/server-manager.ts';
import { SignIns } from './servers/sign-in/sign-ins.ts';
import { StartSlots } from './servers/start-slots.ts';
import { ProcessRegistry } from './servers/launch/process-registry.ts';
import { EnvironmentResolver } from './servers/launch/resolve-environment.ts';
import { TransportFactory } from './servers/transports/transport-factory.ts';
import type { ViewDeps } from './sessions/endpoint.ts';
import { ParkedCalls } from './sessions/parked-calls.ts';
import { SessionRegistry } from './sessions/session-registry.ts';

export interface AggregatorOptions {
  readonly paths: AppPaths;
  readonly env: Env;
  readonly config: ConfigStore;
  readonly log: Log;
  readonly masker: Masker;
  readonly version: string;
  /** Overrides the config's mode. */
  readonly mode?: string | undefined;
}

const startSlots = 10;
/** How long a first list waits for servers that were never listed before, in ms. */
const settleMs = 10_000;

export class Aggregator {
  readonly options: AggregatorOptions;
  readonly token: string;
  readonly registry = new ProcessRegistry();
  readonly signIns: SignIns;
  readonly transports: TransportFactory;
  readonly servers: ServerManager;
  readonly catalog: LiveCatalog;
  readonly sessions: SessionRegistry;
  readonly parked = new ParkedCalls();
  readonly activity: ActivityLog;
  readonly steps: CallSteps;
  readonly admin: ServerAdmin;
  readonly sandbox = new Sandbox();
  readonly descriptions: DescriptionStore;
  readonly #tokens = new TokenCounter({ workerUrl: tokenWorkerUrl() });
  #stopWatching: () => void = () => undefined;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: AggregatorOptions) {
    const { paths, env, log, masker } = options;
    this.options = options;
    for (const folder of [paths.dataDir, paths.logDir, paths.cacheDir, paths.runDir]) ensurePrivateDir(folder);
    this.token = readOrCreateToken(paths.tokenFile);
    this.signIns = new SignIns({ folder: join(paths.dataDir, 'sign-ins'), env });
    this.signIns.secretsChanged.on(() => this.#hideSecrets());
    const environment = new EnvironmentResolver({ own: env });
    this.transports = new TransportFactory({
      env,
      signIns: this.signIns,
      registry: this.registry,
      environment,
      logDir: join(paths.logDir, 'servers'),
      mask: (text) => masker.maskText(text),
    });
    this.servers = new ServerManager({
      createTransport: (config) => this.transports.create(config),
      cache: new ListingCache(join(paths.cacheDir, 'listings')),
      identity: ownIdentity(options.version),
      slots: new StartSlots(startSlots),
      signIns: this.signIns,
      now: Date.now,
      random: Math.random,
      onOddity: (server, text) => log.child(server).info(text.slice(0, 2000)),
    });
    this.catalog = new LiveCatalog(this.servers, new Set(helperTools.keys()));
    this.sessions = new SessionRegistry(this.servers, this.catalog);
    const { maxRows, maxBytes } = options.config.current.activity;
    this.activity = new ActivityLog({
      file: paths.activityFile,
      masker,
      log,
      tokenCounter: this.#tokens,
      maxRows,
      maxBytes,
    });
    this.steps = this.#steps();
    const proposals = new ProposalStore(join(paths.dataDir, 'proposals.json'));
    const lastLines = (server: string): readonly string[] => this.transports.lastLines(server);
    this.admin = new ServerAdmin(options.config, this.servers, proposals, environment, lastLines);
    const hashOf = (server: string): string | undefined => this.servers.find(server)?.config.hash;
    this.descriptions = new DescriptionStore(join(paths.dataDir, 'descriptions'), hashOf);
    this.descriptions.changed.on(() => this.catalog.changed.emit({ tools: true, resources: false, prompts: false }));
  }

  /** Starts the servers of the config and follows its changes. Resolves when all have settled. */
  async start(): Promise<void> {
    const { config } = this.options;
    this.#stopWatching = config.changed.on((next) => {
      void this.#apply(next);
      // Settings change what is listed, too; a session for which it is the same hears nothing.
      this.catalog.changed.emit({ tools: true, resources: false, prompts: false });
    });
    // Before the file is watched: whoever connects meanwhile finds the servers.
    const settled = this.#apply(config.current);
    this.#watching = config.start();
    await this.#watching;
    await settled;
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    // A watch that is still being set up would outlive its stop.
    await this.#watching;
    await this.options.config.stop();
    await Promise.all(this.sessions.all.map((session) => this.sessions.end(session)));
    await this.servers.stop();
    this.signIns.close();
    await this.transports.close();
    await this.activity.close();
    await this.#tokens.close();
    await this.sandbox.close();
    this.registry.killAll();
    this.registry.dispose();
  }

  /** What a listener needs to show an endpoint. */
  get viewDeps(): ViewDeps {
    const { config, mode, version } = this.options;
    return {
      catalog: this.catalog,
      servers: this.servers,
      steps: this.steps,
      admin: this.admin,
      sandbox: this.sandbox,
      descriptions: this.descriptions,
      resultFiles: noResultFiles,
      serverInfo: { name: 'tooltray', title: 'Tooltray', version },
      config: () => config.current,
      mode,
      settleMs,
    };
  }

  #apply(config: AppConfig): Promise<void> {
    this.#hideSecrets();
    return this.servers.apply(config.servers);
  }

  #hideSecrets(): void {
    const { config, masker } = this.options;
    masker.setSecrets([...secretsOf(config.current), ...this.signIns.secrets]);
  }

  #steps(): CallSteps {
    const suggest = (name: string): string[] => this.catalog.index.suggest(name);
    const schemas = new SchemaCompiler();
    return {
      resolve: ({ tool, server }) => resolveEntry(this.catalog.current, 'tools', tool, { server, suggest }),
      // Policy and quarantine take their place here; until then whatever is configured may be called.
      allow: (tool, { intent }) => {
        if (intent !== undefined) checkIntent(tool, intent);
      },
      check: (tool, request) => checkArguments(tool, request, schemas),
      call: (tool, params, context) => this.servers.get(tool.server).request('tools/call', params, context),
      shape: (result) => result,
      record: (call) => recordCall(this.activity, call),
    };
  }
}

/** How we introduce ourselves on shared connections: as able to do what any client app may be able to do. */
function ownIdentity(version: string): { clientInfo: Record<string, unknown>; capabilities: Record<string, unknown> } {
  return {
    clientInfo: { name: 'tooltray', title: 'Tooltray', version },
    capabilities: {
      roots: { listChanged: true },
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
    },
  };
}
