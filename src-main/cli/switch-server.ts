/** Switches a server on or off in the config file; on lifts whatever else kept it off. */
import type { ConfigStore } from '../core/config/config-store.ts';
import { switchServer as switchEntry } from '../core/config/holds.ts';
import { editServer } from './edit-server.ts';

export function switchServer(args: readonly string[], form: string, enabled: boolean): Promise<number> {
  const state = enabled ? 'on' : 'off';
  return editServer(args, form, {
    change: (text, name, { current }) => switchEntry(text, name, enabled, current.isolateCommands),
    tell: (name) => `${name} is switched ${state}.`,
    isDone: (name, store) => isEnabled(name, store) === enabled,
    tellDone: (name) => `${name} was switched ${state} already.`,
  });
}

/** Undefined when there is no such server, or its entry cannot be used. */
function isEnabled(name: string, { current }: ConfigStore): boolean | undefined {
  return current.servers.find((server) => server.name === name)?.enabled;
}
