/** `tooltray remove NAME`: takes a server out of the config file. */
import { removeServer } from '../core/config/edit-config.ts';
import { editServer } from './edit-server.ts';

export function run(args: readonly string[], form: string): Promise<number> {
  return editServer(args, form, {
    change: removeServer,
    tell: (name, file) => `Removed ${name} from ${file}. The file as it was is kept beside it (.bak).`,
  });
}
