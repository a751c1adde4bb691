/** A peer whose other side is controlled by the test, without a real connection. */
import type { Message } from '../../../src-main/core/wire/message.ts';
import { Peer, type PeerHandlers, type PeerOptions } from '../../../src-main/core/wire/peer.ts';
import type {
  MessageOrigin,
  SendOptions,
  Transport,
  TransportHandlers,
} from '../../../src-main/core/wire/transport.ts';

/** A transport whose other side is the test. */
export class TestLine implements Transport {
  readonly sent: Message[] = [];
  readonly options: (SendOptions | undefined)[] = [];
  closes = 0;
  readonly holds: boolean[] = [];
  /** If set, sending fails with this error. */
  broken: Error | undefined;
  #handlers: TransportHandlers | undefined;

  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    if (this.broken !== undefined) throw this.broken;
    this.sent.push(message);
    this.options.push(options);
  }

  async close(): Promise<void> {
    this.closes++;
  }

  setReadPaused(held: boolean): void {
    this.holds.push(held);
  }

  /** The other side sends this. */
  says(message: object, origin?: MessageOrigin): void {
    this.#handlers?.onMessage({ jsonrpc: '2.0', ...message } as Message, origin);
  }

  /** The connection ends. */
  ends(error?: Error): void {
    this.#handlers?.onClose(error);
  }
}

export interface PeerPair {
  readonly peer: Peer;
  readonly line: TestLine;
  readonly oddities: string[];
  /** Arguments of onClose, per call. */
  readonly closings: (Error | undefined)[];
  /** Received notifications. */
  readonly heard: [string, unknown][];
}

export async function peerPair(onRequest?: PeerHandlers['onRequest'], options: PeerOptions = {}): Promise<PeerPair> {
  const line = new TestLine();
  const [oddities, closings, heard]: [string[], (Error | undefined)[], [string, unknown][]] = [[], [], []];
  const handlers: PeerHandlers = {
    onRequest: onRequest ?? (async () => ({})),
    onNotification: (method, params) => heard.push([method, params]),
    onClose: (error) => closings.push(error),
    onWarning: (text) => oddities.push(text),
  };
  const peer = new Peer(line, handlers, options);
  await peer.start();
  return { peer, line, oddities, closings, heard };
}

/** Lets everything in transit arrive. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
