/** The response to one request of 2026-07-28: a JSON body, or a stream if a notification precedes it. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Message, type RequestId, type Result, rpcCode, type RpcErrorBody } from '../../wire/message.ts';
import { toErrorBody } from '../../wire/peer.ts';
import type { EventStream, EventStreams } from './event-stream.ts';
import { cancelledResponse, cancelledByUser } from '../cancelled-response.ts';
import { refusalOf, sendRefusal, writeJson } from './http-io.ts';

/** Delay before a response moves to a stream with keep-alives, as clients and proxies end silent requests, in ms. */
const streamUpgradeDelayMs = 10_000;

export class StatelessResponse {
  readonly #response: ServerResponse;
  readonly #id: RequestId;
  readonly #streams: EventStreams;
  readonly #sent: (message: Message) => void;
  readonly #timer: NodeJS.Timeout;
  #gone: AbortController | undefined;
  #stream: EventStream | undefined;
  #isOver = false;

  /** `sent` receives each message that was sent. */
  constructor(response: ServerResponse, id: RequestId, streams: EventStreams, sent: (message: Message) => void) {
    this.#response = response;
    this.#id = id;
    this.#streams = streams;
    this.#sent = sent;
    this.#timer = setTimeout(() => this.#open(), streamUpgradeDelayMs).unref();
    response.once('close', () => this.#end());
  }

  /** Aborts when the client disconnects. */
  get signal(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.#response.destroyed && !this.#isOver) this.#gone.abort('the client disconnected');
    return this.#gone.signal;
  }

  /** Sends a notification before the response. */
  readonly notify = (method: string, params: JsonObject): void => {
    if (this.#isOver) return;
    const message: Message = { jsonrpc: '2.0', method, params };
    this.#open().send(message);
    this.#sent(message);
  };

  result(result: Result): void {
    this.#finish({ jsonrpc: '2.0', id: this.#id, result }, 200);
  }

  /** `isKnown`: whether the revision has the method; an unknown one is also a 404. */
  error(error: unknown, isKnown: boolean): void {
    if (this.#stream === undefined && error instanceof AppError && error.code === 'session_limit') {
      this.#isOver = true;
      const why = refusalOf(error, this.#id);
      sendRefusal(this.#response, why);
      this.#sent({ jsonrpc: '2.0', id: this.#id, error: why.error });
      return;
    }
    const body = toErrorBody(error);
    // Before this revision, not found had the code -32002.
    const said = body.code === -32002 ? { ...body, code: rpcCode.invalidParams } : body;
    this.#finish({ jsonrpc: '2.0', id: this.#id, error: said }, statusOf(said, isKnown));
  }

  /** The user ends the request while its app waits. */
  cancel(request: Parameters<typeof cancelledResponse>[1]): void {
    this.#gone?.abort(cancelledByUser);
    this.#finish(cancelledResponse(this.#id, request), 200);
  }

  /** Tooltray ends the request. */
  abandon(): void {
    this.#gone?.abort('the connection was closed');
    this.error(new AppError('cancelled', 'Tooltray cancelled the request before it was answered.'), false);
  }

  #open(): EventStream {
    clearTimeout(this.#timer);
    if (this.#stream === undefined) {
      this.#stream = this.#streams.open(this.#response);
      this.#stream.begin();
    }
    return this.#stream;
  }

  #finish(message: Message, status: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#stream === undefined) writeJson(this.#response, status, message);
    else {
      this.#stream.send(message);
      this.#stream.end();
    }
    this.#sent(message);
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gone?.abort('the client disconnected');
  }
}

/** Source: MCP 2026-07-28, basic/transports: errors that are also HTTP statuses. */
function statusOf({ code }: RpcErrorBody, isKnown: boolean): number {
  if (code === rpcCode.methodNotFound && !isKnown) return 404;
  if (code === rpcCode.missingClientCapability || code === rpcCode.unsupportedProtocolVersion) return 400;
  return code <= -32_020 && code > -32_030 && !isKnown ? 400 : 200;
}
