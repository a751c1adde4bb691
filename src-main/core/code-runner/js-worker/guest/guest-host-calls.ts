/** Inside the VM: questions to the host, answered later, or waited for where the style wants an answer at once. */
import type { HostCallKind } from '../../run-request.ts';

/** Functions of the host; only texts and numbers cross the border. */
export interface GuestHost {
  /** Undefined when the question is on its way; else why not, as JSON of a Refusal. */
  ask(id: number, what: HostCallKind | 'timer', text: string): string | undefined;
  /** Blocks until the next answer; undefined when the time is over. */
  wait(): readonly [id: number, ok: boolean, text: string, exact: boolean] | undefined;
  print(line: string): void;
  finish(ok: boolean, text: string): void;
}

/** `exact`: the text holds an integer that a double may not hold. */
type Answered = (ok: boolean, text: string, exact: boolean) => void;

export interface GuestHostCalls {
  ask(what: HostCallKind | 'timer', text: string, answered: Answered): number;
  readonly deliver: (id: number, ...answer: Parameters<Answered>) => void;
  forget(id: number): void;
  /** A promise of what `start` hands on; in the blocking style that itself. */
  complete<T>(start: (done: (value: T) => void) => void): T | Promise<T>;
}

/** Runs in the VM, as text: it may name nothing outside its own body. */
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
    // Taken off only afterwards: an answer too large for the memory is delivered once more, as a refusal.
    open.get(id)?.(...answer);
    open.delete(id);
  }

  function complete<T>(start: (done: (value: T) => void) => void): T | Promise<T> {
    if (!blocking) return new NativePromise<T>(start);
    let result: { value: T } | undefined;
    start((value) => (result = { value }));
    // When the time is over this goes round without an answer until the engine is interrupted.
    for (;;) {
      if (result !== undefined) return result.value;
      const answer = host.wait();
      if (answer !== undefined) deliver(...answer);
    }
  }

  return { ask, deliver, forget: (id) => open.delete(id), complete };
}
