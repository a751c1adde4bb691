/** What is remembered of calls: their record, what was said in them, and what they saved. */
import { dirname, join } from 'node:path';
import { ActivityLog } from './activity/activity-log.ts';
import { CallTexts, type TextSettings } from './activity/call-texts.ts';
import type { ListedServer } from './activity/ledger/baseline.ts';
import { Ledger } from './activity/ledger/ledger.ts';
import { TokenCache, TokenCounter, tokenWorkerUrl } from './activity/token-counter.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { AppConfig } from './config/app-config.ts';
import { factsOfApp, hasModel } from './client-apps/app-limits.ts';
import type { CountText } from './spills/keep-answer.ts';
import type { ServerManager } from './servers/server-manager.ts';

interface RecordOptions {
  readonly file: string;
  readonly settings: () => Pick<AppConfig, 'activity' | 'results'>;
  readonly masker: Masker;
  readonly log: Log;
  readonly servers: ServerManager;
  readonly counter: TokenCounter | undefined;
}

interface CallMemory {
  readonly activity: ActivityLog;
  readonly texts: CallTexts;
  readonly ledger: Ledger;
  readonly countTokens: CountText;
  readonly close: () => Promise<void>;
}

export function openRecord({ servers, counter: shared, settings, ...plain }: RecordOptions): CallMemory {
  const options = { ...plain, ...settings().activity };
  const counter = shared ?? new TokenCounter({ workerUrl: tokenWorkerUrl() });
  const tokenCounter = new TokenCache(counter);
  const activity = new ActivityLog({ ...options, tokenCounter });
  const ledger = new Ledger({
    ...options,
    store: { use: (work) => activity.query(work) },
    tokenCounter,
    servers: () => ownServers(servers),
    defersTools: (app) => factsOfApp(app).defersTools,
    hasModel,
    now: Date.now,
  });
  const texts = new CallTexts({
    file: join(dirname(options.file), 'texts.db'),
    masker: options.masker,
    settings: () => textSettings(settings()),
    log: options.log.child('texts'),
  });
  servers.listingChanged.on(() => ledger.serversChanged());
  const close = async (): Promise<void> => {
    await ledger.close();
    await activity.close();
    // The last records have told it their ids.
    await texts.close();
    if (shared === undefined) await counter.close();
  };
  return {
    activity,
    ledger,
    texts,
    countTokens: (text) => tokenCounter.count(text),
    close,
  };
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
function textSettings({ activity, results }: Pick<AppConfig, 'activity' | 'results'>): TextSettings {
  const { keepDays, maxBytes, deleteAtExit } = results;
  return { keep: activity.keepTexts, keepDays, maxBytes, maxRows: activity.maxRows, deleteAtExit };
}
