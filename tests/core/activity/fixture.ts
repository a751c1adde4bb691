/** Calls to record, and an activity log on real parts. */
import { join } from 'node:path';
import { ActivityLog, type ActivityLogOptions } from '../../../src-main/core/activity/activity-log.ts';
import type { CallRecord } from '../../../src-main/core/activity/call-record.ts';
import { TokenCounter } from '../../../src-main/core/activity/token-counter.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';

const workerUrl = new URL('../../../src-main/core/activity/token-worker.ts', import.meta.url);

export function call(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    startedAt: 1_700_000_000_000,
    sessionId: 's1',
    app: 'test-app',
    mode: 'proxy',
    server: 'files',
    tool: 'read',
    durationMs: 12.5,
    resolveMs: 0.5,
    allowMs: 1,
    callMs: 10,
    shapeMs: 1,
    argumentBytes: 10,
    resultBytes: 1000,
    givenBytes: 100,
    outcome: 'ok',
    ...changes,
  };
}

export interface OpenActivity extends AsyncDisposable {
  readonly activity: ActivityLog;
  readonly file: string;
  readonly logFile: string;
}

/** An activity log in the folder, with everything it needs; disposing closes it all. */
export function openActivity(folder: string, options: Partial<ActivityLogOptions> = {}): OpenActivity {
  const file = join(folder, 'activity.db');
  const logFile = join(folder, 'core.log');
  const masker = options.masker ?? new Masker();
  const log = createLog({ file: logFile, masker });
  const tokenCounter = new TokenCounter({ workerUrl });
  const bounds = { maxRows: 100_000, maxBytes: 50_000_000 };
  const activity = new ActivityLog({ file, log, masker, tokenCounter, ...bounds, ...options });
  const dispose = async () => {
    await activity.close();
    await tokenCounter.close();
    log.close();
  };
  return { activity, file, logFile, [Symbol.asyncDispose]: dispose };
}
