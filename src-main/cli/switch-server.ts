/** Switches a server on or off in the config file; on lifts whatever else kept it off. */
import { AppError } from '../core/base/errors.ts';
import { nameOfWaiting } from '../core/config/accepted-config.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { switchServer as switchEntry } from '../core/config/holds.ts';
import { editServer } from './edit-server.ts';

export function switchServer(args: readonly string[], form: string, enabled: boolean): Promise<number> {
  const state = enabled ? 'on' : 'off';
  return editServer(args, form, {
    change: (text, name, { current }) => switchEntry(text, name, enabled, current.isolateCommands),
    tell: (name) => `${name} is switched ${state}.`,
    isDone(name, store) {
      if (enabled) requireDecided(name, store);
      return isEnabled(name, store) === enabled;
    },
    tellDone: (name) => `${name} was switched ${state} already.`,
  });
}

/** What another program wrote is not launched by a switch: the person has to see it first. */
function requireDecided(name: string, { waiting }: ConfigStore): void {
  if (!waiting.some((edit) => edit.kind === 'entry' && edit.server === name)) return;
  throw new AppError('config_conflict', `${name} was changed outside of Tooltray, and waits for your word.`, {
    fix: `Look at it with tooltray proposals, then: tooltray approve ${nameOfWaiting(waiting)}`,
  });
}

/** Undefined when there is no such server, or its entry cannot be used. */
function isEnabled(name: string, { current }: ConfigStore): boolean | undefined {
  return current.servers.find((server) => server.name === name)?.enabled;
}
