/** `tooltray disable NAME`: switches a server off, keeping its entry. */
import { switchServer } from './switch-server.ts';

export function run(args: readonly string[], form: string): Promise<number> {
  return switchServer(args, form, false);
}
