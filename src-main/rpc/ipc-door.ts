/** The dashboard over Electron's IPC: the same questions and the same stream, for a window of ours and no one else's. */
import { AppError } from '../core/base/errors.ts';
import type { RpcFailure, StateChange } from './contract.ts';
import { toFailure } from './dashboard-door.ts';
import { stateChannel } from './ipc-channels.ts';
import type { StatePublisher } from './state-publisher.ts';

/** What is needed of whoever sends: Electron's `event.sender` with the frame it came from. */
export interface IpcSender {
  readonly id: number;
  /** Address of the frame that asks; undefined where it is gone. */
  readonly url: string | undefined;
  /** It is the window's own page, not a frame in it. */
  readonly isMainFrame: boolean;
  send(channel: string, message: unknown): void;
  onGone(listener: () => void): void;
}

export type IpcAnswer = { readonly value: Record<string, unknown> } | { readonly error: RpcFailure };

export interface IpcDoorOptions {
  /** Where our page is: `app://tooltray/`. */
  readonly origin: string;
  readonly publisher: StatePublisher;
  readonly ask: (method: string, input: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
}

export class IpcDoor {
  readonly #options: IpcDoorOptions;
  readonly #leaves = new Map<number, () => void>();

  constructor(options: IpcDoorOptions) {
    this.#options = options;
  }

  /** Never rejects: an error of ours would arrive without its code. */
  async request(sender: IpcSender, method: unknown, input: unknown): Promise<IpcAnswer> {
    try {
      this.#requireOwn(sender);
      if (typeof method !== 'string') throw new AppError('bad_request', 'A question needs a name.');
      return { value: await this.#options.ask(method, input, new AbortController().signal) };
    } catch (error) {
      return { error: toFailure(error) };
    }
  }

  /** Begins to tell this window; once per window, however often it loads. Throws AppError not_allowed. */
  watch(sender: IpcSender): void {
    this.#requireOwn(sender);
    this.#leaves.get(sender.id)?.();
    const leave = this.#options.publisher.watch(({ change }) => {
      sender.send(stateChannel, change satisfies StateChange);
    });
    const end = (): void => {
      leave();
      if (this.#leaves.get(sender.id) === end) this.#leaves.delete(sender.id);
    };
    this.#leaves.set(sender.id, end);
    sender.onGone(end);
  }

  close(): void {
    for (const leave of [...this.#leaves.values()]) leave();
  }

  #requireOwn({ url, isMainFrame }: IpcSender): void {
    const isOwn = url !== undefined && url.startsWith(this.#options.origin);
    if (!isOwn || !isMainFrame) throw new AppError('not_allowed', 'Only the dashboard itself may ask.');
  }
}
