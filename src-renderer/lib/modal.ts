/**
 * Shows a `<dialog>` as modal while it is mounted, and restores the focus afterwards:
 * `<dialog {@attach modal(onclose)}>`. The parent must remove it: a dialog that closed itself
 * could not be opened again.
 */
import type { Attachment } from 'svelte/attachments';

export function modal(onclose: () => void): Attachment<HTMLDialogElement> {
  return (dialog) => {
    const before = document.activeElement;
    const cancel = (event: Event): void => {
      // Elements in the dialog, such as file inputs, also emit cancel events.
      if (event.target !== dialog) return;
      event.preventDefault();
      onclose();
    };
    dialog.addEventListener('cancel', cancel);
    dialog.addEventListener('close', onclose);
    dialog.showModal();
    // Removing a modal dialog does not restore the focus, unlike closing it.
    return () => {
      dialog.removeEventListener('cancel', cancel);
      dialog.removeEventListener('close', onclose);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  };
}
