/** JSON-RPC over a pair of byte streams, one message per line: sockets of the shim, our own stdin and stdout. */
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../base/errors.ts';
import type { ByteHolder, ConnectionBudgets } from './byte-budget.ts';
import { defaultMaxMessageBytes, FrameReader, PacedReader } from './frame-reader.ts';
import { isNotification, isRequest, type Message, serializeMessage } from './message.ts';
import { OpenRequests } from './open-requests.ts';
import type { MessageOrigin, Transport, TransportHandlers } from './transport.ts';

/** A reader this far behind does not recover, and more would only fill the memory. In bytes. */
const maxUnsentBytes = 1024 * 1024 * 1024;
/** Above this limit reading stops too, because further requests would only add responses. In bytes. */
const slowReaderBytes = 8 * 1024 * 1024;
/** Maximum number of distinct notifications that are kept for a slow reader, if only the latest of each counts. */
const maxQueuedMessages = 1000;
/** Notifications that a slow reader may miss, because they report progress instead of changes. */
const passing: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message']);

export interface StreamTransportOptions {
  readonly maxMessageBytes?: number;
  /** Bytes read before the transport took over. */
  readonly leftover?: Buffer;
  /** Memory budgets for unread and partly read data of all connections together. */
  readonly budgets?: ConnectionBudgets;
  /** Whether to keep reading while the other side does not read; two ends that both stop would deadlock. */
  readonly readsOn?: boolean;
  /** Whether to answer all requests before ending after the end of input: for piped requests. */
  readonly respondsFirst?: boolean;
}

/**
 * Maximum duration of responses after the end of input, in ms; only a write shows whether the reader is gone as well.
 */
const maxResponseMs = 10 * 60_000;

export class StreamTransport implements Transport, ByteHolder {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: StreamTransportOptions;
  #handlers: TransportHandlers | undefined;
  #closed = false;
  #paced: PacedReader | undefined;
  /** Whether the peer does not read its responses. */
  #full = false;
  readonly #queued = new Map<string, Message>();
  #open: OpenRequests | undefined;
  #isInputOver = false;

  constructor(input: Readable, output: Writable, options: StreamTransportOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    const { maxMessageBytes = defaultMaxMessageBytes, budgets } = this.#options;
    const open = this.#options.respondsFirst === true ? new OpenRequests() : undefined;
    this.#open = open;
    const onMessage = (message: Message, origin?: MessageOrigin): void => {
      open?.received(message);
      handlers.onMessage(message, origin);
    };
    const onWarning = (text: string): void => handlers.onWarning(text);
    const reader = new FrameReader({ onMessage, onWarning }, maxMessageBytes, { budget: budgets?.unfinished });
    this.#output.on('drain', () => this.#drained());
    this.#output.on('error', (error) => this.#finish(error));
    this.#input.on('error', (error) => this.#finish(error));
    this.#input.on('end', () => {
      reader.end();
      if (open === undefined) this.#finish();
      else void this.#answerAll(open, onMessage);
    });
    this.#input.on('close', () => {
      if (open === undefined || !this.#input.readableEnded) this.#finish();
    });
    this.#paced = new PacedReader(this.#input, reader);
    if (this.#options.leftover !== undefined) this.#paced.push(this.#options.leftover);
    this.#paced.resume();
  }

  setReadPaused(held: boolean): void {
    this.#paced?.stop('open', held);
  }

  /** Disconnects because the memory is needed for others. */
  drop(): void {
    this.#finish(unread());
  }

  async send(message: Message): Promise<void> {
    if (this.#closed || !this.#output.writable) throw new AppError('session_limit', 'The peer has disconnected.');
    if (this.#isInputOver && isRequest(message)) throw new AppError('session_limit', 'The peer no longer responds.');
    this.#open?.sent(message);
    const pieces = serializeMessage(message);
    if (this.#full && isNotification(message)) return this.#keep(message, String(pieces[0]));
    if (pieces.length === 1) this.#output.write(pieces[0]);
    else {
      this.#output.cork();
      for (const piece of pieces) this.#output.write(piece);
      process.nextTick(() => this.#output.uncork());
    }
    const unsent = this.#output.writableLength;
    if (unsent <= slowReaderBytes) return;
    this.#full = true;
    if (this.#options.readsOn !== true) this.#paced?.stop('unread', true);
    if (unsent > maxUnsentBytes) this.#finish(unread());
    else this.#options.budgets?.unread.set(this, unsent);
  }

  async close(): Promise<void> {
    this.#finish();
  }

  async #answerAll(open: OpenRequests, onMessage: (message: Message) => void): Promise<void> {
    this.#isInputOver = true;
    for (const refusal of open.refusals()) onMessage(refusal);
    await open.answered(maxResponseMs);
    this.#finish();
  }

  #keep(message: Message & { readonly method: string }, text: string): void {
    if (!passing.has(message.method) && this.#queued.size < maxQueuedMessages) this.#queued.set(text, message);
  }

  #drained(): void {
    if (!this.#full || this.#closed) return;
    this.#options.budgets?.unread.set(this, 0);
    this.#full = false;
    const queued = [...this.#queued.values()];
    this.#queued.clear();
    for (const message of queued) void this.send(message).catch(() => undefined);
    if (!this.#full) this.#paced?.stop('unread', false);
  }

  #finish(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queued.clear();
    this.#options.budgets?.unread.set(this, 0);
    this.#output.end();
    // Written data is still flushed; a peer that never reads must not keep the descriptor forever.
    setTimeout(() => {
      this.#input.destroy();
      this.#output.destroy();
    }, 2000).unref();
    this.#handlers?.onClose(error);
  }
}

function unread(): AppError {
  return new AppError('session_limit', 'The peer does not read its responses; the connection was closed.');
}
