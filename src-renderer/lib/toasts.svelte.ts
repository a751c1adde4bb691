/** Short messages about what was done, some with a way back. `useToasts().show({ text, undo })`. */
import { createContext } from 'svelte';

export const [useToasts, provideToasts] = createContext<ToastStore>();

export interface Toast {
  readonly text: string;
  /** Shown as a button for as long as the toast stays. */
  readonly undo?: (() => void) | undefined;
  readonly link?: { readonly label: string; readonly href: string };
  /** How long it stays, in ms. */
  readonly stayMs?: number;
  /** Something did not work. */
  readonly failed?: boolean;
}

const usualStayMs = 5_000;
const undoStayMs = 10_000;

export class ToastStore {
  all = $state.raw<readonly (Toast & { readonly id: number })[]>([]);
  #count = 0;

  show(toast: Toast): void {
    const id = (this.#count += 1);
    this.all = [...this.all, { ...toast, id }];
    setTimeout(() => this.remove(id), toast.stayMs ?? (toast.undo ? undoStayMs : usualStayMs));
  }

  remove(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id);
  }
}
