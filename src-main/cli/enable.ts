/** `tooltray enable NAME`: switches a server on. */
import { switchServer } from './switch-server.ts';

export function run(args: readonly string[], form: string): Promise<number> {
  return switchServer(args, form, true);
}
