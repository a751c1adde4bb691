/** For all cores of the process: a thread takes 0.4 s to read the tokenizer's table, and ends by itself when it has no work. */
import { existsSync } from 'node:fs';
import { ActivityThread } from '../../src-main/core/activity/activity-thread.ts';
import { CodeRunner } from '../../src-main/core/code-runner/code-runner.ts';

export const activityThread = new ActivityThread();

/** The same for programs: the process that is kept ready for the next one in Python, half a second, is that of any core. Built, it is there sooner. */
const builtPython = new URL('../../dist/python-process.js', import.meta.url);
export const sandbox = new CodeRunner(existsSync(builtPython) ? { pythonUrl: builtPython } : {});
