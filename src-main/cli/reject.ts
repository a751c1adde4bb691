/** `tooltray reject ID`: the person's no. */
import { decide } from './decide.ts';

export function run(args: readonly string[], form: string): Promise<number> {
  return decide('reject', 'Rejected', args, form);
}
