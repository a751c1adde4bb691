/**
 * Makes a `<dialog>` the system's own modal one for as long as it is there, and gives the focus back afterwards:
 * `<dialog {@attach modal(onclose)}>`. It goes when whoever opened it takes it away: one that had closed by itself
 * could not be opened again before that.
 */
import type { Attachment } from 'svelte/attachments';

export function modal(onclose: () => void): Attachment<HTMLDialogElement> {
  return (dialog) => {
    const before = document.activeElement;
    const cancel = (event: Event): void => {
      // What is in the dialog may be cancelled, too: the choice of a file.
      if (event.target !== dialog) return;
      event.preventDefault();
      onclose();
    };
    dialog.addEventListener('cancel', cancel);
    dialog.addEventListener('close', onclose);
    dialog.showModal();
    // Removing a modal dialog does not give the focus back as closing it does.
    return () => {
      dialog.removeEventListener('cancel', cancel);
      dialog.removeEventListener('close', onclose);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  };
}
