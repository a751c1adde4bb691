/** `tooltray pause`: every server of the running core is held still until `resume`. */
import { setPaused } from './set-paused.ts';

export const run = (args: readonly string[], form: string): Promise<number> => setPaused(args, form, true);
