/** Inside the VM: requests to the host, answered asynchronously, or synchronously in the blocking style. */
import type { HostCallKind } from '../../run-request.ts';

/** Functions of the host; only texts and numbers are passed. */
export interface GuestHost {
  /** Undefined if the request was sent; otherwise JSON of a refusal. */
  ask(id: number, what: HostCallKind | 'timer', text: string): string | undefined;
  /** Blocks until the next answer; undefined after the time limit. */
  wait(): readonly [id: number, ok: boolean, text: string, exact: boolean] | undefined;
  print(line: string): void;
  finish(ok: boolean, text: string): void;
}

/** `exact`: whether the text may contain integers beyond a double. */
type Answered = (ok: boolean, text: string, exact: boolean) => void;

export interface GuestHostCalls {
  ask(what: HostCallKind | 'timer', text: string, answered: Answered): number;
  readonly deliver: (id: number, ...answer: Parameters<Answered>) => void;
  forget(id: number): void;
  /** Returns a promise of the value that `start` passes on; in the blocking style the value itself. */
  complete<T>(start: (done: (value: T) => void) => void): T | Promise<T>;
}

/** Runs in the VM as text, so it must not refer to anything outside of its body. */
export function guestHostCalls(host: GuestHost, blocking: boolean): GuestHostCalls {
  const NativePromise = Promise;
  const open = new Map<number, Answered>();
  let lastId = 0;

  function ask(what: HostCallKind | 'timer', text: string, answered: Answered): number {
    const id = ++lastId;
    open.set(id, answered);
    const refusal = host.ask(id, what, text);
    if (refusal !== undefined) deliver(id, false, refusal, false);
    return id;
  }

  function deliver(id: number, ...answer: Parameters<Answered>): void {
    // Removed only afterwards, because an answer that exceeds the memory is delivered again as a refusal.
    open.get(id)?.(...answer);
    open.delete(id);
  }

  function complete<T>(start: (done: (value: T) => void) => void): T | Promise<T> {
    if (!blocking) return new NativePromise<T>(start);
    let result: { value: T } | undefined;
    start((value) => (result = { value }));
    // After the time limit this loops until the engine is interrupted.
    for (;;) {
      if (result !== undefined) return result.value;
      const answer = host.wait();
      if (answer !== undefined) deliver(...answer);
    }
  }

  return { ask, deliver, forget: (id) => open.delete(id), complete };
}
