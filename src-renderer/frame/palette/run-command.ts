/**
 * Commands that the palette runs itself, with the same functions as the pages. Commands that need confirmation
 * navigate to their page instead.
 */
import type { AttentionAction, SettingsFacts } from '../../../src-main/rpc/contract.ts';
import { act, restart, setEnabled, setMode, setPaused, signOut, stop } from '../../lib/server-actions.ts';
import { chooseTheme } from '../../lib/theme.svelte.ts';
import type { ToastStore } from '../../lib/toasts.svelte.ts';
import { everything } from '../../views/activity/call-filter.ts';
import { saveCalls } from '../../views/activity/save-calls.ts';

export type PaletteCommand =
  | { readonly does: 'pause'; readonly paused: boolean }
  | { readonly does: 'mode'; readonly mode: string; readonly before: string }
  | { readonly does: 'restart' | 'stop' | 'sign-out'; readonly server: string }
  | { readonly does: 'switch'; readonly server: string; readonly on: boolean }
  | {
      readonly does: 'mend';
      readonly server: string;
      readonly action: AttentionAction['kind'];
      readonly clears?: string;
    }
  | { readonly does: 'theme'; readonly theme: SettingsFacts['theme'] }
  | { readonly does: 'export'; readonly format: 'json' | 'csv' }
  | { readonly does: 'undo' }
  | { readonly does: 'help' };

interface CommandDeps {
  readonly toasts: ToastStore;
  readonly showHelp: () => void;
}

/** Never rejects. */
export async function runCommand(command: PaletteCommand, { toasts, showHelp }: CommandDeps): Promise<void> {
  switch (command.does) {
    case 'pause':
      await setPaused(command.paused, toasts);
      return;
    case 'mode':
      await setMode(command.mode, command.before, toasts);
      return;
    case 'restart':
      toasts.show({ text: `Restarting ${command.server}.` });
      await restart(command.server, toasts);
      return;
    case 'stop':
      await stop(command.server, toasts);
      return;
    case 'sign-out':
      await signOut(command.server, toasts);
      return;
    case 'switch':
      if (await setEnabled(command.server, command.on, toasts)) {
        toasts.show({ text: `${command.server} ${command.on ? 'enabled' : 'disabled'}.` });
      }
      return;
    case 'mend':
      await act(
        { kind: command.action, ...(command.clears !== undefined && { clears: command.clears }) },
        command.server,
        toasts,
      );
      return;
    case 'theme':
      await toasts.attempt(() => chooseTheme(command.theme));
      return;
    case 'export':
      await saveCalls(everything, command.format, toasts);
      return;
    case 'undo':
      toasts.undoLast();
      return;
    case 'help':
      showHelp();
  }
}
