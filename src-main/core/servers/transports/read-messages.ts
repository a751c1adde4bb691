/** JSON-RPC messages out of a whole HTTP body or one event, without losing a digit or a key. */
import { FrameReader } from '../../wire/frame-reader.ts';
import type { Message } from '../../wire/message.ts';

const newline = 0x0a;
const space = 0x20;

export interface ReadOptions {
  readonly maxMessageBytes: number;
  readonly onOddity: (text: string) => void;
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
  const { push, end, messages } = bodyReader(options);
  for await (const chunk of body) push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  end();
  return messages;
}

function bodyReader(options: ReadOptions) {
  const messages: Message[] = [];
  const reader = new FrameReader(
    { onMessage: (message) => messages.push(message), onOddity: options.onOddity },
    options.maxMessageBytes,
  );
  return {
    messages,
    end: () => reader.end(),
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
