/** Opens the stores about calls: their records, payloads, and savings. */
import { dirname, join } from 'node:path';
import { ActivityLog } from './activity/activity-log.ts';
import { PayloadStore, type PayloadSettings } from './activity/call-payloads.ts';
import type { ListedServer } from './activity/ledger/baseline.ts';
import type { KindOfHelper } from './activity/ledger/ledger-entry.ts';
import { Ledger } from './activity/ledger/ledger.ts';
import { StepLog } from './activity/steps/step-log.ts';
import { TokenCache, TokenCounter, tokenWorkerUrl } from './activity/token-counter.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import { DeferredQueue } from './base/scheduling/deferred-queue.ts';
import type { StoreHealth } from './health/store-health.ts';
import type { AppConfig } from './config/app-config.ts';
import type { ConfigStore } from './config/config-store.ts';
import { resultIntakeOf, appTraits, hasModel, displayNameOf } from './client-apps/app-traits.ts';
import type { CountText } from './spills/spill-result.ts';
import type { ServerManager } from './servers/server-manager.ts';

/** Further handling of the records. */
export interface ActivityOptions {
  /** Whether payloads may be retained; if false, no setting enables it. */
  readonly keepsTexts: boolean;
  /** Brings it elsewhere, too, until it is closed. */
  readonly ship?: (record: Pick<Activity, 'activity' | 'timeline'>) => ActivityExporter;
}

export interface ActivityExporter {
  /** Its last row is written, and the record still open. Never rejects. */
  close(): Promise<void>;
}

interface RecordOptions {
  readonly places: ActivityOptions;
  readonly file: string;
  readonly config: Pick<ConfigStore, 'current' | 'changed'>;
  readonly version: string;
  readonly masker: Masker;
  readonly log: Log;
  readonly health: StoreHealth;
  readonly servers: ServerManager;
  readonly counter: TokenCounter | undefined;
  readonly kindOf: KindOfHelper;
}

export interface Activity {
  readonly activity: ActivityLog;
  readonly texts: PayloadStore;
  readonly timeline: StepLog;
  readonly ledger: Ledger;
  readonly countTokens: CountText;
  readonly close: () => Promise<void>;
}

export function createActivity({
  servers,
  counter: shared,
  config,
  version,
  places,
  ...plain
}: RecordOptions): Activity {
  const settings = (): AppConfig => config.current;
  const options = { ...plain, ...settings().activity };
  const counter = shared ?? new TokenCounter({ workerUrl: tokenWorkerUrl() });
  const tokenCounter = new TokenCache(counter);
  const putOff = new DeferredQueue();
  const activity = new ActivityLog({ ...options, tokenCounter, putOff });
  const texts = new PayloadStore({
    file: join(dirname(options.file), 'texts.db'),
    masker: options.masker,
    settings: () => textSettings(settings(), places.keepsTexts),
    log: options.log.child('texts'),
    health: options.health,
  });
  const timeline = new StepLog({
    activity,
    texts,
    masker: options.masker,
    log: options.log,
    maxRows: options.maxRows,
    kindOf: options.kindOf,
  });
  const ledger = new Ledger({
    ...options,
    store: activity,
    tokenCounter,
    servers: () => ownServers(servers),
    defersTools: (app) => appTraits(app).defersTools,
    hasModel,
    acceptsResults: resultIntakeOf,
    now: Date.now,
    steps: timeline,
    putOff,
  });
  const ship = places.ship?.({ activity, timeline });
  noteMoments(activity, config, version);
  servers.listingChanged.on(() => ledger.serversChanged());
  const close = async (): Promise<void> => {
    await ledger.close();
    timeline.close();
    await activity.close(() => ship?.close());
    // The last records have passed their ids to it.
    await texts.close();
    if (shared === undefined) await counter.close();
  };
  return {
    activity,
    ledger,
    texts,
    timeline,
    countTokens: (text) => tokenCounter.count(text),
    close,
  };
}

/** Records events that explain a change in the figures. */
function noteMoments({ annotations }: ActivityLog, config: RecordOptions['config'], version: string): void {
  annotations.add('start', version);
  let { mode, appModes } = config.current;
  config.changed.on(() => {
    const before = { mode, appModes };
    ({ mode, appModes } = config.current);
    if (mode !== before.mode) annotations.add('mode', mode);
    for (const app of new Set([...Object.keys(before.appModes), ...Object.keys(appModes)])) {
      const now = ownMode(appModes, app);
      if (now !== ownMode(before.appModes, app)) annotations.add('mode', `${now ?? mode} for ${displayNameOf(app)}`);
    }
  });
}

function ownMode(modes: AppConfig['appModes'], app: string): string | undefined {
  return Object.hasOwn(modes, app) ? modes[app] : undefined;
}

/** The servers that a client app would have without us: our built-in ones it would not. */
function ownServers(servers: ServerManager): readonly ListedServer[] {
  return servers.all.flatMap(({ config, listing, handshake }) =>
    config.enabled && config.kind !== 'builtin'
      ? [{ name: config.name, listing, instructions: handshake?.instructions }]
      : [],
  );
}

/** Bounded as kept answers are, on their own account. */
function textSettings(
  { activity, results }: Pick<AppConfig, 'activity' | 'results'>,
  mayKeep: boolean,
): PayloadSettings {
  return {
    keep: mayKeep && activity.storePayloads,
    keepDays: results.retentionDays,
    maxBytes: results.maxBytes,
    maxRows: activity.maxRows,
    deleteAtExit: results.deleteOnExit,
  };
}
