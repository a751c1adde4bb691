/** What the desktop app's preload gives the page; absent in a browser. */
import type { RpcFailure, StateChange } from '../../src-main/rpc/contract.ts';

export interface Bridge {
  request(method: string, input: unknown): Promise<{ readonly value: unknown } | { readonly error: RpcFailure }>;
  /** Returns how to stop listening. */
  watch(listener: (change: StateChange) => void): () => void;
}

declare global {
  interface Window {
    readonly tooltray?: Bridge;
  }
}
