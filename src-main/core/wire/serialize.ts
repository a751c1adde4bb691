/** A message as the pieces of one line; a raw result goes out as the bytes that came in. */
import type { Message } from './message.ts';
import { RawJson } from './raw-json.ts';

export function serializeMessage(message: Message): (string | Buffer)[] {
  if (!('result' in message) || !(message.result instanceof RawJson)) return [JSON.stringify(message) + '\n'];
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`, ...message.result.chunks, '}\n'];
}
