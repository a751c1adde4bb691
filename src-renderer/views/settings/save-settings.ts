/** Keeps settings as soon as they are changed, and says so where that did not work. */
import { api, type Input, toFailure } from '../../lib/api.ts';
import type { ToastStore } from '../../lib/toasts.svelte.ts';

export type SaveSettings = (change: Input<'setSettings'>) => void;

export function settingsSaver(toasts: ToastStore): SaveSettings {
  return (change) =>
    void api.ask('setSettings', change).catch((error: unknown) => {
      const { message, fix } = toFailure(error);
      toasts.show({ text: `${message} ${fix}`.trim(), failed: true });
    });
}
