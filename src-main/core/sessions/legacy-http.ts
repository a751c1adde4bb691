/** Streamable HTTP of the handshake era: one session per `Mcp-Session-Id`, carried by the SDK's transport. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';

import type { Message } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { SendOptions, Transport, TransportHandlers } from '../wire/transport.ts';
import { replyError } from './http-reply.ts';

const maxSessions = 500;

export type OpenSession = (transport: Transport) => Promise<unknown>;

interface Line {
  readonly sdk: NodeStreamableHTTPServerTransport;
  seenAt: number;
}

export class LegacyHttp {
  readonly #lines = new Map<string, Line>();

  /** Serves one request; `open` starts a session for a client that introduces itself. */
  async serve(request: IncomingMessage, response: ServerResponse, body: unknown, open: OpenSession): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#lines.get(id) : undefined;
    if (known !== undefined) {
      known.seenAt = Date.now();
      await known.sdk.handleRequest(request, response, body);
    } else if (typeof id === 'string') {
      replyError(response, 404, { code: -32001, message: 'Session not found. Initialize again.' });
    } else {
      const sdk = await this.#begin(open);
      await sdk.handleRequest(request, response, body);
      // A first request that was no handshake leaves nothing behind.
      if (sdk.sessionId === undefined) await sdk.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.sdk.close()));
    this.#lines.clear();
  }

  async #begin(open: OpenSession): Promise<NodeStreamableHTTPServerTransport> {
    const sdk: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#lines.set(id, { sdk, seenAt: Date.now() });
        this.#makeRoom();
      },
    });
    await open(new SdkServerTransport(sdk, () => this.#forget(sdk)));
    return sdk;
  }

  #forget(sdk: NodeStreamableHTTPServerTransport): void {
    if (sdk.sessionId !== undefined) this.#lines.delete(sdk.sessionId);
  }

  /** Clients come and go without a word; the one not heard of longest gives way. */
  #makeRoom(): void {
    if (this.#lines.size <= maxSessions) return;
    const [oldest] = [...this.#lines.values()].sort((a, b) => a.seenAt - b.seenAt);
    void oldest?.sdk.close();
  }
}

/** The SDK's server transport behind our seam; messages pass as they are. */
class SdkServerTransport implements Transport {
  readonly #sdk: NodeStreamableHTTPServerTransport;
  readonly #ended: () => void;

  constructor(sdk: NodeStreamableHTTPServerTransport, ended: () => void) {
    this.#sdk = sdk;
    this.#ended = ended;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#sdk.onmessage = (message) => handlers.onMessage(message as unknown as Message);
    this.#sdk.onerror = (error) => handlers.onOddity(error.message);
    this.#sdk.onclose = () => {
      this.#ended();
      handlers.onClose();
    };
    await this.#sdk.start();
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    const related = options?.relatedRequestId;
    await this.#sdk.send(
      this.asWritten(message) as never,
      related === undefined ? undefined : { relatedRequestId: related },
    );
  }

  asWritten(message: Message): Message {
    return 'result' in message && message.result instanceof RawJson
      ? { ...message, result: message.result.parse() }
      : message;
  }

  async close(): Promise<void> {
    await this.#sdk.close();
  }
}
