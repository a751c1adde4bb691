/** Calls to record, and an activity log with real parts. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createActivityDatabase } from '../../../src-main/core/activity/activity-worker/activity-database.ts';
import {
  ActivityLog,
  type ActivityLogOptions,
  type PayloadSettings,
} from '../../../src-main/core/activity/activity-log.ts';
import type { CallTexts } from '../../../src-main/core/activity/activity-messages.ts';
import type { ActivityEntry, CallRecord } from '../../../src-main/core/activity/call-record.ts';
import { ActivityThread } from '../../../src-main/core/activity/activity-thread.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';

/** Calls of these tests start in the past. */
export const storedPayloads: PayloadSettings = {
  keep: true,
  retentionDays: 100_000,
  maxBytes: 50_000_000,
  deleteAtExit: false,
};

export function call(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    startedAt: 1_700_000_000_000,
    sessionId: 's1',
    app: 'test-app',
    mode: 'proxy',
    server: 'files',
    tool: 'read',
    durationMs: 12.5,
    stages: { resolve: 0.5, allow: 1, call: 10, shape: 1 },
    bytes: { request: 10, serverResult: 1000, modelResult: 100 },
    outcome: 'ok',
    ...changes,
  };
}

/** Shared by all logs of a test file, because starting a thread and loading the tokenizer take half a second. */
const sharedThread = new ActivityThread();

export interface OpenActivity extends AsyncDisposable {
  readonly activity: ActivityLog;
  readonly file: string;
  readonly logFile: string;
}

/** An activity log in the folder, with its dependencies; disposing closes everything. */
export function openActivity(
  folder: string,
  options: Partial<ActivityLogOptions> & { readonly masker?: Masker } = {},
): OpenActivity {
  const file = join(folder, 'activity.db');
  const logFile = join(folder, 'core.log');
  const masker = options.masker ?? new Masker();
  const log = createLog({ file: logFile, masker });
  const bounds = { maxRows: 100_000, maxBytes: 50_000_000 };
  const payloads = (): PayloadSettings => storedPayloads;
  const activity = new ActivityLog({ file, log, masker, payloads, thread: sharedThread, ...bounds, ...options });
  const dispose = async () => {
    await activity.close();
    log.close();
  };
  return { activity, file, logFile, [Symbol.asyncDispose]: dispose };
}

/** The newest records first, including those just recorded. */
export function recent(open: OpenActivity, limit = 100): Promise<readonly ActivityEntry[]> {
  return open.activity.ask('recentCalls', limit);
}

/** Runs queries on a database file in this thread, next to its owner. */
export function inDatabase<T>(file: string, work: (database: DatabaseSync) => T, maxBytes = 64 << 20): T {
  const store = createActivityDatabase(file, maxBytes, (aside) => {
    throw new Error(`The database is broken: ${aside}`);
  });
  try {
    return store.use(work);
  } finally {
    store.close();
  }
}

/** Payloads of a call: strings are plain text, other values are shared as JSON. */
export function texts(
  { activity }: OpenActivity,
  { arguments: args = '', result, given }: { arguments?: string; result?: unknown; given?: unknown },
): CallTexts {
  const share = (value: unknown) => (typeof value === 'string' ? activity.shareText(value) : activity.share(value));
  return { arguments: activity.shareText(args), result: share(result), given: share(given), spilled: undefined };
}
