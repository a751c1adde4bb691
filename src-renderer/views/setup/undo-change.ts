/** Takes a change of an app's file or an import back, and says how that went. */
import { api } from '../../lib/api.ts';
import type { ToastStore } from '../../lib/toasts.svelte.ts';

/** Never rejects. Resolves to whether it is undone. */
export function undoChange(undo: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(async () => toasts.show({ text: (await api.ask('undoInstall', { undo })).sentence }));
}
