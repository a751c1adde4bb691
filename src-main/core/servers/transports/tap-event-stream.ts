/** Passes an event stream on with each message replaced by its stub; ids, comments and retry times stay as they are. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type Message, rpcCode } from '../../wire/message.ts';
import type { Exchange } from './exchanges.ts';
import type { MessageTap } from './message-tap.ts';
import { messageLimit, readMessages, type ReadOptions } from './read-messages.ts';

export interface EventStreamTapOptions extends ReadOptions {
  readonly tap: MessageTap;
  /** The request whose answer the stream carries, if it is that of a request. */
  readonly exchange: Exchange | undefined;
  /** Resolves when the server may be read on. */
  readonly flow?: (() => Promise<void> | undefined) | undefined;
}

export function tapEventStream(options: EventStreamTapOptions): TransformStream<Uint8Array, Uint8Array> {
  const { tap, exchange } = options;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let out = '';
  let overflow = false;
  /** Bytes since the last event. */
  let pending = 0;
  const parser = createParser({
    maxBufferSize: options.maxMessageBytes,
    onId: (id) => {
      if (exchange !== undefined && id !== '') exchange.lastEventId = id;
    },
    onEvent: (event) => {
      pending = 0;
      out += rewriteEvent(event, options);
    },
    onComment: (comment) => {
      out += `:${comment}\n`;
    },
    onRetry: (milliseconds) => {
      out += `retry: ${milliseconds}\n\n`;
    },
    onError: (error) => {
      overflow ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  return new TransformStream({
    async transform(chunk, controller) {
      await options.flow?.();
      pending += chunk.byteLength;
      overflow = pending > messageLimit(options);
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (overflow) {
        const failure = tooLarge(options);
        if (failure !== undefined) out += writeEvent({ data: tap.keep(failure, exchange?.id) });
      }
      if (out !== '') controller.enqueue(encoder.encode(out));
      out = '';
      // The parser cannot go on after that; what follows on this stream is lost with it.
      if (overflow) controller.terminate();
    },
  });
}

function rewriteEvent(event: EventSourceMessage, options: EventStreamTapOptions): string {
  const carriesMessage = event.data !== '' && (event.event === undefined || event.event === 'message');
  if (!carriesMessage) return writeEvent(event);
  const stubs = readMessages(event.data, options).map((message) => options.tap.keep(message, options.exchange?.id));
  // The id goes with the last one of a batch: taken up again from there, none comes twice.
  if (stubs.length === 0) return writeEvent({ ...event, data: '' });
  return stubs.map((data, index) => writeEvent(index === stubs.length - 1 ? { ...event, data } : { data })).join('');
}

function writeEvent(event: EventSourceMessage): string {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  const type = event.event === undefined ? '' : `event: ${event.event}\n`;
  const data = event.data.split('\n').map((line) => `data: ${line}\n`);
  return `${id}${type}${data.join('')}\n`;
}

function tooLarge(options: EventStreamTapOptions): Message | undefined {
  const message = `A message is over the limit of ${messageLimit(options)} bytes; its stream was given up. Ask for less at a time, or raise maxMessageMB for this server.`;
  options.onOddity(message);
  const { exchange } = options;
  if (exchange === undefined) return undefined;
  return { jsonrpc: '2.0', id: exchange.id, error: { code: rpcCode.aborted, message } };
}
