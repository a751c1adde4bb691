/** Loaded before a core from the sources: it takes no steps down. Nothing that users can set does that. */
import { StepLog } from '../../../src-main/core/activity/steps/step-log.ts';

for (const method of ['start', 'end']) StepLog.prototype[method] = () => undefined;
