/** What is remembered of calls: their record, what was said in the last ones, and what they saved. */
import { ActivityLog } from './activity/activity-log.ts';
import { CallDetails } from './activity/call-details.ts';
import type { ListedServer } from './activity/ledger/baseline.ts';
import { Ledger } from './activity/ledger/ledger.ts';
import { TokenCache, TokenCounter, tokenWorkerUrl } from './activity/token-counter.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import { factsOfApp, hasModel } from './client-apps/app-limits.ts';
import type { CountText } from './spills/keep-answer.ts';
import type { ServerManager } from './servers/server-manager.ts';

interface RecordOptions {
  readonly file: string;
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly masker: Masker;
  readonly log: Log;
  readonly servers: ServerManager;
  readonly counter: TokenCounter | undefined;
}

interface CallMemory {
  readonly activity: ActivityLog;
  readonly details: CallDetails;
  readonly ledger: Ledger;
  readonly countTokens: CountText;
  readonly close: () => Promise<void>;
}

export function openRecord({ servers, counter: shared, ...options }: RecordOptions): CallMemory {
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
  servers.listingChanged.on(() => ledger.serversChanged());
  const close = async (): Promise<void> => {
    await ledger.close();
    await activity.close();
    if (shared === undefined) await counter.close();
  };
  return {
    activity,
    ledger,
    details: new CallDetails(options.masker),
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
