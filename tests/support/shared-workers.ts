/** Shared by all cores of the process: a thread takes 0.4 s to load the tokenizer, and ends by itself when idle. */
import { existsSync } from 'node:fs';
import { ActivityThread } from '../../src-main/core/activity/activity-thread.ts';
import { CodeRunner } from '../../src-main/core/code-runner/code-runner.ts';

export const activityThread = new ActivityThread();

/** Likewise for programs: the prewarmed Python process takes half a second to start. The built one is faster. */
const builtPython = new URL('../../dist/python-process.js', import.meta.url);
export const sandbox = new CodeRunner(existsSync(builtPython) ? { pythonUrl: builtPython } : {});
