/** The seam between JSON-RPC and whatever carries it: a child process, a socket, HTTP, memory. */
import type { Emitter } from '../base/emitter.ts';
import type { Message, RequestId } from './message.ts';

export interface SendOptions {
  /** Aborting it gives up the one request (over HTTP: closes its stream). */
  readonly signal?: AbortSignal | undefined;
  /** Extra HTTP headers of this message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request of the other side that this message belongs to; picks the stream over HTTP. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Nothing else on this line waits for an answer: it leaves at once, without company. */
  readonly alone?: boolean | undefined;
}

export interface MessageOrigin {
  /** The outgoing request on whose response stream this message arrived, if the transport knows it (HTTP). */
  readonly relatedRequestId?: RequestId | undefined;
}

export interface TransportHandlers {
  onMessage(message: Message, origin?: MessageOrigin): void;
  /**
   * Called once, when no more messages can arrive; `error` is the reason unless the transport was closed from this
   * side.
   */
  onClose(error?: Error): void;
  /** Something odd that does not end the line: a stray stdout line, an answer too large, invalid JSON. */
  onWarning(text: string): void;
}

/** Whether somebody is at the other end of a line that has no connection of its own. */
export interface Presence {
  readonly isHere: boolean;
  readonly changed: Emitter;
}

export interface Transport {
  /** Opens the line; rejects when that fails. Handlers are called from then on. */
  start(handlers: TransportHandlers): Promise<void>;
  /** Resolves when handed to the operating system; rejects when the line is gone. */
  send(message: Message, options?: SendOptions): Promise<void>;
  /** Ends the line and everything that was started for it. Never rejects. */
  close(): Promise<void>;
  /** Absent if the connection ends with its peer. */
  readonly presence?: Presence;
  /** For connections that can be handed over: the other side will fetch something here until the promise settles. */
  expectPickup?(until: Promise<void>): void;
  /** The handshake is done. HTTP repeats the negotiated version in a header of every message. */
  setProtocolVersion?(version: string): void;
  /** Whether the server's program is still being downloaded, so that the first response may take minutes. */
  readonly isInstalling?: boolean;
  /** Pauses or resumes reading from the peer; data that was already read is still delivered. */
  setReadPaused?(held: boolean): void;
}
