/** JSON-RPC messages out of a whole HTTP body or one event, without losing a digit or a key. */
import { AppError } from '../../base/errors.ts';
import type { ByteBudget } from '../../wire/byte-budget.ts';
import { FrameReader } from '../../wire/frame-reader.ts';
import type { Message } from '../../wire/message.ts';

const newline = 0x0a;
const space = 0x20;

export interface ReadOptions {
  readonly maxMessageBytes: number;
  readonly onOddity: (text: string) => void;
  /** What long messages on all lines may take together. */
  readonly budget?: ByteBudget | undefined;
  /** The handshake is done; before it no message has a reason to be long. */
  readonly greeted?: () => boolean;
}

/** More than that before its handshake is done no server has to say, in bytes. */
export const longestGreeting = 1024 * 1024;
/** A server's questions and notifications are parsed, while nobody else is served; answers of any length are not. */
export const longestParsed = 32 * 1024 * 1024;

/** Longest message now, in bytes. */
export function messageLimit({ maxMessageBytes, greeted }: ReadOptions): number {
  return greeted?.() === false ? Math.min(longestGreeting, maxMessageBytes) : maxMessageBytes;
}

/** One message, or several where the text is a batch; what is none is reported and left out. */
export function readMessages(text: string, options: ReadOptions): Message[] {
  const { push, end, messages } = bodyReader(options);
  push(Buffer.from(text));
  end();
  return messages;
}

/** The same for a body that is still arriving; rejects when it breaks off. */
export async function readBody(body: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<Message[]> {
  const { push, end, drop, messages } = bodyReader(options);
  try {
    for await (const chunk of body) push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    end();
  } finally {
    drop();
  }
  return messages;
}

function bodyReader(options: ReadOptions) {
  const messages: Message[] = [];
  const reader = new FrameReader(
    {
      onMessage: (message) => messages.push(message),
      onOddity: options.onOddity,
      onEndless: () => {
        throw new AppError('message_too_large', 'An answer goes on without an end.');
      },
    },
    messageLimit(options),
    { budget: options.budget, maxParsedBytes: longestParsed },
  );
  return {
    messages,
    end: () => reader.end(),
    drop: () => reader.drop(),
    // Bodies may be printed over many lines. A JSON string holds no raw line break, so each one is mere white space.
    push: (chunk: Buffer) => reader.push(withoutNewlines(chunk)),
  };
}

function withoutNewlines(chunk: Buffer): Buffer {
  let at = chunk.indexOf(newline);
  if (at < 0) return chunk;
  const copy = Buffer.from(chunk);
  for (; at >= 0; at = copy.indexOf(newline, at + 1)) copy[at] = space;
  return copy;
}
