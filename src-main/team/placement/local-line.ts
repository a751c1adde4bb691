/** A line within this process: what one end sends the other hears, in order, never within the sender's own stack. */
import { AppError } from '../../core/base/errors.ts';
import type { Message } from '../../core/wire/message.ts';
import type { Transport, TransportHandlers } from '../../core/wire/transport.ts';

/** Both ends, not started; closing one closes the other. */
export function localLine(): readonly [Transport, Transport] {
  const one = new LocalEnd();
  const other = new LocalEnd();
  one.join(other);
  other.join(one);
  return [one, other];
}

class LocalEnd implements Transport {
  #other: LocalEnd | undefined;
  #handlers: TransportHandlers | undefined;
  /** Heard before anybody listened. */
  readonly #early: Message[] = [];
  #closed = false;

  join(other: LocalEnd): void {
    this.#other = other;
  }

  start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    for (const message of this.#early.splice(0)) handlers.onMessage(message);
    if (this.#closed) queueMicrotask(() => handlers.onClose());
    return Promise.resolve();
  }

  send(message: Message): Promise<void> {
    if (this.#closed) return Promise.reject(new AppError('server_exited', 'The line has been closed.'));
    const other = this.#other;
    queueMicrotask(() => other?.hear(message));
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    const other = this.#other;
    // Behind what was sent before.
    queueMicrotask(() => other?.over());
    queueMicrotask(() => this.#handlers?.onClose());
    return Promise.resolve();
  }

  hear(message: Message): void {
    if (this.#handlers === undefined) this.#early.push(message);
    else if (!this.#closed) this.#handlers.onMessage(message);
  }

  over(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handlers?.onClose();
  }
}
