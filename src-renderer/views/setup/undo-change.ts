/** Takes a change of an app's file or an import back, and says how that went. */
import { api, toFailure } from '../../lib/api.ts';
import type { ToastStore } from '../../lib/toasts.svelte.ts';

/** Never rejects. Resolves to whether it is undone. */
export async function undoChange(undo: string, toasts: ToastStore): Promise<boolean> {
  try {
    toasts.show({ text: (await api.ask('undoInstall', { undo })).sentence });
    return true;
  } catch (error) {
    const { message, fix } = toFailure(error);
    toasts.show({ text: `${message} ${fix}`.trim(), failed: true });
    return false;
  }
}
