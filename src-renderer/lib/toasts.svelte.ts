/** Short messages about completed actions, some with undo. `useToasts().show({ text, undo })`. */
import { createContext } from 'svelte';
import type { RpcFailure } from '../../src-main/rpc/contract.ts';
import { formatFailure, toFailure } from './api.ts';

export const [useToasts, provideToasts] = createContext<ToastStore>();

export interface Toast {
  readonly text: string;
  /** Shown as a button while the toast is visible. */
  readonly undo?: (() => void) | undefined;
  readonly link?: { readonly label: string; readonly href: string };
  /** Time it stays visible, in ms. */
  readonly stayMs?: number;
  /** The action failed. */
  readonly failed?: boolean;
}

const defaultDurationMs = 5_000;
const undoDurationMs = 10_000;

export class ToastStore {
  all = $state.raw<readonly (Toast & { readonly id: number })[]>([]);
  /** The newest action that can be undone, also after its message has disappeared. */
  lastUndo = $state.raw<Required<Pick<Toast, 'text' | 'undo'>>>();
  #count = 0;

  show(toast: Toast): void {
    const id = (this.#count += 1);
    this.all = [...this.all, { ...toast, id }];
    const { text, undo } = toast;
    if (undo !== undefined) this.lastUndo = { text, undo };
    setTimeout(() => this.remove(id), toast.stayMs ?? (toast.undo ? undoDurationMs : defaultDurationMs));
  }

  /** Runs a user's action, and shows an error if it fails. Never rejects; resolves to whether it succeeded. */
  async attempt(work: () => Promise<unknown>, say: (failure: RpcFailure) => string = formatFailure): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.show({ text: say(toFailure(error)), failed: true });
      return false;
    }
  }

  /** Undoes the newest action once. */
  undoLast(): void {
    const last = this.lastUndo;
    const toast = this.all.findLast(({ undo }) => undo === last?.undo);
    this.lastUndo = undefined;
    if (toast !== undefined) this.remove(toast.id);
    last?.undo?.();
  }

  remove(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id);
  }
}

/** For `attempt`, if the fix is obvious. */
export function shortMessage({ message }: RpcFailure): string {
  return message;
}
