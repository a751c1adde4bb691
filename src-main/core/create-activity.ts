/** Opens the stores about calls: their records, payloads, and savings. */
import { ActivityLog, type PayloadSettings } from './activity/activity-log.ts';
import type { ActivityThread } from './activity/activity-thread.ts';
import type { ListedServer } from './activity/ledger/baseline.ts';
import type { KindOfHelper } from './activity/ledger/ledger-entry.ts';
import { Ledger } from './activity/ledger/ledger.ts';
import { StepLog } from './activity/steps/step-log.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { StoreHealth } from './health/store-health.ts';
import type { AppConfig } from './config/app-config.ts';
import type { ConfigStore } from './config/config-store.ts';
import { resultIntakeOf, appTraits, hasModel, displayNameOf } from './client-apps/app-traits.ts';
import { ResultMeasurer } from './spills/result-measurer.ts';
import type { CountText } from './spills/spill-result.ts';
import type { ServerManager } from './servers/server-manager.ts';

/** Further handling of the records. */
export interface ActivityOptions {
  /** Whether payloads may be retained; if false, no setting enables it. */
  readonly keepsTexts: boolean;
  /** Exports it until it is closed. */
  readonly ship?: (record: Pick<Activity, 'activity' | 'timeline'>) => ActivityExporter;
}

export interface ActivityExporter {
  /** Called when the last row is written, with the database still open. Never rejects. */
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
  /** Shared with other cores of the process. */
  readonly activityThread: ActivityThread | undefined;
  readonly kindOf: KindOfHelper;
}

export interface Activity {
  readonly activity: ActivityLog;
  readonly timeline: StepLog;
  readonly ledger: Ledger;
  readonly countTokens: CountText;
  readonly measurer: ResultMeasurer;
  readonly close: () => Promise<void>;
}

export function createActivity({
  servers,
  activityThread,
  config,
  version,
  places,
  kindOf,
  ...plain
}: RecordOptions): Activity {
  const settings = (): AppConfig => config.current;
  const { maxRows, maxBytes } = settings().activity;
  const measurer = new ResultMeasurer();
  const activity = new ActivityLog({
    ...plain,
    measurer,
    maxRows,
    maxBytes,
    payloads: () => payloadSettings(settings(), places.keepsTexts),
    thread: activityThread,
  });
  const timeline = new StepLog({ activity, kindOf });
  const ledger = new Ledger({
    activity,
    servers: () => ownServers(servers),
    defersTools: (app) => appTraits(app).defersTools,
    hasModel,
    acceptsResults: resultIntakeOf,
    now: Date.now,
    steps: timeline,
    kindOf,
  });
  const ship = places.ship?.({ activity, timeline });
  noteMoments(activity, config, version);
  servers.listingChanged.on(() => ledger.serversChanged());
  const close = async (): Promise<void> => {
    timeline.close();
    await activity.close(ship && (() => ship.close()));
    await measurer.close();
  };
  return { activity, ledger, timeline, measurer, countTokens: (text) => activity.countTokens(text), close };
}

/** Records events that explain a change in the figures. */
function noteMoments(activity: ActivityLog, config: RecordOptions['config'], version: string): void {
  activity.annotate('start', version);
  let { mode, appModes } = config.current;
  config.changed.on(() => {
    const before = { mode, appModes };
    ({ mode, appModes } = config.current);
    if (mode !== before.mode) activity.annotate('mode', mode);
    for (const app of new Set([...Object.keys(before.appModes), ...Object.keys(appModes)])) {
      const now = ownMode(appModes, app);
      if (now !== ownMode(before.appModes, app)) activity.annotate('mode', `${now ?? mode} for ${displayNameOf(app)}`);
    }
  });
}

function ownMode(modes: AppConfig['appModes'], app: string): string | undefined {
  return Object.hasOwn(modes, app) ? modes[app] : undefined;
}

/** The servers that a client app would have without Tooltray, which excludes built-in ones. */
function ownServers(servers: ServerManager): readonly ListedServer[] {
  return servers.all.flatMap(({ config, listing, handshake }) =>
    config.enabled && config.kind !== 'builtin'
      ? [{ name: config.name, listing, instructions: handshake?.instructions }]
      : [],
  );
}

/** Limited like spills, separately. */
function payloadSettings(
  { activity, results }: Pick<AppConfig, 'activity' | 'results'>,
  mayKeep: boolean,
): PayloadSettings {
  const { retentionDays, maxBytes, deleteOnExit } = results;
  return {
    keep: mayKeep && activity.storePayloads,
    retentionDays,
    maxBytes,
    deleteAtExit: deleteOnExit,
  };
}
