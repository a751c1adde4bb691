/** `tooltray approve ID`: the person's yes to a change that a model asked for. */
import { decide } from './decide.ts';

export function run(args: readonly string[], form: string): Promise<number> {
  return decide('approve', 'Approved', args, form);
}
