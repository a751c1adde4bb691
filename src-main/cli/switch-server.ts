/** Switches a server on or off in the config file. */
import { AppError } from '../core/base/errors.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { setServerField } from '../core/config/edit-config.ts';
import { editServer } from './edit-server.ts';

export function switchServer(args: readonly string[], form: string, enabled: boolean): Promise<number> {
  const state = enabled ? 'on' : 'off';
  return editServer(args, form, {
    change: (text, name) => setServerField(text, name, 'enabled', enabled),
    tell: (name) => `${name} is switched ${state}.`,
    isDone: (name, store) => isEnabled(name, store) === enabled,
    tellDone: (name) => `${name} was switched ${state} already.`,
    verify(name, store) {
      if (!enabled || isEnabled(name, store) !== false) return;
      throw new AppError(
        'config_invalid',
        `${name} is still kept off by another key of its entry, such as "quarantined".`,
        {
          fix: `Look at it in ${store.path}.`,
        },
      );
    },
  });
}

/** Undefined when there is no such server, or its entry cannot be used. */
function isEnabled(name: string, { current }: ConfigStore): boolean | undefined {
  return current.servers.find((server) => server.name === name)?.enabled;
}
