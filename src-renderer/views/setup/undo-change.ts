/** Reverts a change of an app's file or an import, and reports the outcome. */
import { api } from '../../lib/api.ts';
import type { ToastStore } from '../../lib/toasts.svelte.ts';

/** Never rejects. Resolves to whether it was reverted. */
export function undoChange(undo: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(async () => toasts.show({ text: (await api.ask('undoInstall', { undo })).sentence }));
}
