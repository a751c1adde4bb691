/** The bridge from the desktop app's preload script; absent in a browser. */
import type { RpcFailure, StateChange } from '../../src-main/rpc/contract.ts';

export interface Bridge {
  /** `question`: ID for cancelling it. */
  request(
    method: string,
    input: unknown,
    question?: string,
  ): Promise<{ readonly value: unknown } | { readonly error: RpcFailure }>;
  /** Cancels a request. */
  takeBack(question: string): void;
  /** Returns an unsubscribe function. */
  watch(listener: (change: StateChange) => void): () => void;
}

declare global {
  interface Window {
    readonly tooltray?: Bridge;
  }
}
