/** Remembers promises of the VM that failed while nobody waited for them: most likely an `await` was forgotten. */
import type { JSValueHandle } from 'quickjs-wasi';

const most = 10;

export class LostRejections {
  /** By identity of the promise, which is kept alive so that no other gets its identity. */
  readonly #lost = new Map<number, { readonly promise: JSValueHandle; readonly reason: JSValueHandle }>();

  get reasons(): JSValueHandle[] {
    return [...this.#lost.values()].map(({ reason }) => reason);
  }

  /** The handles are borrowed. */
  note(promise: JSValueHandle, reason: JSValueHandle, handled: boolean): void {
    if (!handled && this.#lost.size < most) {
      this.#lost.set(promise.identity, { promise: promise.dup(), reason: reason.dup() });
    } else if (handled) {
      const lost = this.#lost.get(promise.identity);
      this.#lost.delete(promise.identity);
      lost?.promise.dispose();
      lost?.reason.dispose();
    }
  }
}
