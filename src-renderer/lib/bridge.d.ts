/** What the desktop app's preload gives the page; absent in a browser. */
import type { RpcFailure, StateChange } from '../../src-main/rpc/contract.ts';

export interface Bridge {
  /** `question`: a name of its own, by which it can be taken back. */
  request(
    method: string,
    input: unknown,
    question?: string,
  ): Promise<{ readonly value: unknown } | { readonly error: RpcFailure }>;
  /** The answer is no longer wanted: whatever works on it stops. */
  takeBack(question: string): void;
  /** Returns how to stop listening. */
  watch(listener: (change: StateChange) => void): () => void;
}

declare global {
  interface Window {
    readonly tooltray?: Bridge;
  }
}
