/** `tooltray resume`: ends a pause. */
import { setPaused } from './set-paused.ts';

export const run = (args: readonly string[], form: string): Promise<number> => setPaused(args, form, false);
