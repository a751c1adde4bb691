/** Our transport over one of the MCP SDK, for servers in this process. */
import { AppError } from '../../base/errors.ts';
import type { Message } from '../../wire/message.ts';
import type { Transport, TransportHandlers } from '../../wire/transport.ts';

/** The used part of the SDK's transports, whose message types are narrower than what we forward. */
export interface SdkTransport {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** `sdkTransport` is our end, e.g. of `InMemoryTransport.createLinkedPair()`. */
export function adaptSdkTransport(sdkTransport: SdkTransport): Transport {
  return new MemoryTransport(sdkTransport);
}

class MemoryTransport implements Transport {
  readonly #sdk: SdkTransport;
  #closedByUs = false;

  constructor(sdk: SdkTransport) {
    this.#sdk = sdk;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#sdk.onmessage = (message: unknown) => {
      // Asynchronous, like every other transport.
      queueMicrotask(() => handlers.onMessage(message as Message));
    };
    this.#sdk.onerror = (error) => handlers.onWarning(error.message);
    this.#sdk.onclose = () => queueMicrotask(() => handlers.onClose(this.#closedByUs ? undefined : lineEnded()));
    await this.#sdk.start();
  }

  async send(message: Message): Promise<void> {
    try {
      // The SDK's schemas reject numbers that keep their spelling, so plain ones are passed, as over a wire.
      await this.#sdk.send(JSON.parse(JSON.stringify(message)) as never);
    } catch (error) {
      throw new AppError('server_exited', 'The built-in server is no longer running.', { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#closedByUs = true;
    await this.#sdk.close().catch(() => undefined);
  }
}

function lineEnded(): AppError {
  return new AppError('server_exited', 'The built-in server closed its connection.');
}
