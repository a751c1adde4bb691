/** The interface between JSON-RPC and its transports: a child process, a socket, HTTP, memory. */
import type { Emitter } from '../base/emitter.ts';
import type { Message, RequestId } from './message.ts';

export interface SendOptions {
  /** Aborting it cancels this request (over HTTP: closes its stream). */
  readonly signal?: AbortSignal | undefined;
  /** Additional HTTP headers of this message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request of the other side that this message belongs to; selects the stream over HTTP. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Whether no other message on this connection waits, so that it is sent at once without combining. */
  readonly alone?: boolean | undefined;
}

export interface MessageOrigin {
  /** The outgoing request on whose response stream this message arrived, if known (HTTP). */
  readonly relatedRequestId?: RequestId | undefined;
  /** Whether parsing the message took long, so that it is handled in a later turn of the event loop. */
  readonly isLarge?: boolean | undefined;
}

export interface TransportHandlers {
  onMessage(message: Message, origin?: MessageOrigin): void;
  /**
   * Called once when no more messages can arrive; `error`: the reason, unless the transport was closed from this side.
   */
  onClose(error?: Error): void;
  /**
   * Reports an anomaly that does not end the connection: a stray line on stdout, a result that is too large, invalid
   * JSON.
   */
  onWarning(text: string): void;
}

/** Whether the other end of a session without a persistent connection is present. */
export interface Presence {
  readonly isHere: boolean;
  readonly changed: Emitter;
}

export interface Transport {
  /** Opens the connection; rejects if that fails. Handlers are called from then on. */
  start(handlers: TransportHandlers): Promise<void>;
  /** Resolves when handed to the operating system; rejects if the connection is closed. */
  send(message: Message, options?: SendOptions): Promise<void>;
  /** Closes the connection and everything that was started for it. Never rejects. */
  close(): Promise<void>;
  /** Absent if the connection ends with its peer. */
  readonly presence?: Presence;
  /** Announces that the other side will fetch something here until the promise settles. */
  expectPickup?(until: Promise<void>): void;
  /** Called after `initialize`. HTTP repeats the negotiated version in a header of every message. */
  setProtocolVersion?(version: string): void;
  /** Whether the server's program is still being downloaded, so that the first response may take minutes. */
  readonly isInstalling?: boolean;
  /** Pauses or resumes reading from the peer; data that was already read is still delivered. */
  setReadPaused?(held: boolean): void;
}
